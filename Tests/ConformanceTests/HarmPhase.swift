// SPDX-License-Identifier: Apache-2.0

/// When a harmful plugin does its harm.
enum HarmPhase: Int, CaseIterable, CustomStringConvertible {
    case constructor, entry, run, expiration, retire, end

    /// The cases of which one must see that something is wrong.
    var cases: [String] {
        switch self {
        case .constructor: ["dlopen-ok"]
        case .entry: ["registers-its-handlers"]
        case .run: ["no-exit", "one-task-done"]
        case .expiration: ["cooperative-stop", "short-expiration"]
        case .retire: ["retires"]
        case .end: ["clean-exit"]
        }
    }

    /// The cases of all phases, and one that loads nothing.
    static let everyCase = ["manifest-parses"] + allCases.flatMap(\.cases)

    var description: String {
        switch self {
        case .constructor: "in a constructor"
        case .entry: "in its entry"
        case .run: "in its run"
        case .expiration: "in its expiration callback"
        case .retire: "when it is retired"
        case .end: "in a destructor"
        }
    }
}
