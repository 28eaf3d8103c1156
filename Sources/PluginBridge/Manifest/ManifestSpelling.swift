// SPDX-License-Identifier: Apache-2.0

/// Finds the word that was probably meant.
package enum ManifestSpelling {
    /// The longest text that is compared, in bytes; no word of a manifest comes near it.
    static var limit: Int { 64 }

    /// Returns the nearest of `words`, or nil when none is near: up to a third of its letters, and
    /// at least one, may be wrong. Capitals count as small letters.
    package static func nearest(to text: String, among words: [String]) -> String? {
        guard text.utf8.count <= limit else { return nil }
        let typed = Array(text.lowercased().utf8)
        var best: (word: String, distance: Int)?
        for word in words {
            let distance = distance(typed, Array(word.lowercased().utf8))
            guard distance <= max(1, word.utf8.count / 3) else { continue }
            if let found = best, found.distance <= distance { continue }
            best = (word, distance)
        }
        return best?.word
    }

    /// Returns the number of letters to insert, delete, change or swap with the next one to get
    /// from one text to the other (each place is edited once).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, a) in left.enumerated() {
            var current = [row + 1]
            for (column, b) in right.enumerated() {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (a == b ? 0 : 1))
                if row > 0, column > 0, a == right[column - 1], left[row - 1] == b {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
