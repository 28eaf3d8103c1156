// SPDX-License-Identifier: Apache-2.0

/// Finds a duplicate key of an object, by its bytes: comparing text by canonical equivalence can be
/// very slow.
///
/// Most objects have few members, for which a linear search is fast; the keys of others are hashed.
struct JSONKeys {
    /// The number of members up to which the search is linear.
    private static var fewest: Int { 16 }

    private var places: [[UInt8]: Int] = [:]

    /// Returns the place of the member that has the key. `members` has those so far, each of which
    /// was taken; one that is returned nil for is the next of them.
    mutating func take(_ key: String, in members: [JSONMember]) -> Int? {
        if members.count < JSONKeys.fewest {
            return members.firstIndex { isSame($0.key, key) }
        }
        if places.isEmpty {
            for (place, member) in members.enumerated() { places[Array(member.key.utf8)] = place }
        }
        let bytes = Array(key.utf8)
        if let place = places[bytes] { return place }
        places[bytes] = members.count
        return nil
    }

    private func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
    }
}
