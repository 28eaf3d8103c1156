// SPDX-License-Identifier: Apache-2.0

/// Where the code of a plugin runs.
public enum Isolation: Int32, Sendable, CaseIterable {
    /// On threads of the host: nothing keeps a plugin from ending the host.
    case thread = 1
    /// In a process of the plugin's: a crash ends its running tasks, never the host.
    case process = 2
    /// In a process for each task, which is used for no other one.
    case fresh = 3
}

extension Isolation: KebabCased {
    /// The one of the two that keeps more away from the host and from other tasks.
    package static func more(_ left: Isolation, _ right: Isolation) -> Isolation {
        left.rawValue < right.rawValue ? right : left
    }
}
