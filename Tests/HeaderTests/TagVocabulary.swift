// SPDX-License-Identifier: Apache-2.0

/// The threads and states a CURFEW_TAG may name, as the comment in `curfew/types.h` lists them.
struct TagVocabulary {
    let threads: Set<String>
    let states: Set<String>

    /// Reads the two lists of the comment: lines of a name and its meaning, ended by an empty one.
    init(typesHeader: String) {
        let lines = typesHeader.split(separator: "\n", omittingEmptySubsequences: false)
        func list(_ title: String) -> Set<String> {
            let list = lines.drop { $0 != " * \(title), exactly one of:" }.dropFirst()
                .prefix { $0.hasPrefix(" *   ") }.map { $0.dropFirst(" *   ".count) }
            // A line that begins with more space continues the one above.
            return Set(list.filter { $0.first != " " }.map { String($0.prefix { $0 != " " }) })
        }
        threads = list("thread")
        states = list("state")
    }
}
