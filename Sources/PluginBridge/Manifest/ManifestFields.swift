// SPDX-License-Identifier: Apache-2.0

/// The values of an object, by the names of its keys.
///
/// They are few: looking through them is quicker than a table.
struct ManifestFields {
    private let members: [JSONMember]

    /// No two members have the same key. Those with other keys than the object's may be among them.
    init(_ members: [JSONMember]) {
        self.members = members
    }

    subscript(_ name: String) -> JSONValue? {
        for member in members where ManifestFields.isSame(member.key, name) { return member.value }
        return nil
    }

    /// Returns the members whose key belongs to the object.
    func known(to object: ManifestObject) -> [JSONMember] {
        members.filter { object.hasKey(named: $0.key) }
    }

    /// Compares bytes: text that is merely equivalent is no key. `name` is ASCII; what is equivalent
    /// to that and not the same is longer.
    @inline(__always)
    static func isSame(_ text: String, _ name: String) -> Bool {
        text.utf8.count == name.utf8.count && text == name
    }
}
