// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Which cases are run.
package struct Selection: Sendable {
    package var level = ConformanceCase.usualLevel
    /// Names, with `*` for any letters; empty: all of the level. What is named is run whatever its
    /// level.
    package var only: [String] = []
    package var exclude: [String] = []

    package init() {}

    package var cases: [ConformanceCase] {
        ConformanceCase.all.filter { each in
            (only.isEmpty
                ? each.level <= level : only.contains { Selection.matches(each.name, $0) })
                && !exclude.contains { Selection.matches(each.name, $0) }
        }
    }

    /// The first pattern that no case's name matches.
    package var unknown: String? {
        (only + exclude).first { pattern in
            !ConformanceCase.all.contains { Selection.matches($0.name, pattern) }
        }
    }

    /// Whether a name matches a pattern, or the pattern is the case's code.
    static func matches(_ name: String, _ pattern: String) -> Bool {
        if ConformanceCase.named(name)?.fault.code == pattern.uppercased() { return true }
        var rest = name[...]
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, rest.hasPrefix(first) else { return false }
        guard parts.count > 1 else { return rest == first }
        rest = rest.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(parts.last!)
    }
}
