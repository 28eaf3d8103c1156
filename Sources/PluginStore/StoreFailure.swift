// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import PluginBridge

/// Why nothing was installed, removed or rolled back.
package struct StoreFailure: Error, Sendable {
    package enum Kind: Sendable {
        /// The plugin is none that may be installed.
        case refused
        /// There is no such plugin, or no version before.
        case missing
        /// This user may not change the directory, or others may.
        case denied
        /// Something else is where the plugin would be.
        case conflict
        /// The system failed: a full disk, a file system that cannot rename.
        case system
    }

    package let kind: Kind
    /// What happened, lower case, no full stop.
    package let message: String
    package let fault: Fault?
    /// What to do next, one line each.
    package let help: [String]
    /// The change was made, and what failed came after it.
    package private(set) var isDone = false

    /// The same failure, of something that came after the change.
    var afterChange: StoreFailure {
        var failure = self
        failure.isDone = true
        return failure
    }

    package init(_ kind: Kind, _ message: String, fault: Fault? = nil, help: [String] = []) {
        self.kind = kind
        self.message = message
        self.fault = fault
        self.help = help
    }

    /// A call of the system failed.
    init(_ what: String, _ path: String, _ code: Int32) {
        let kind: Kind = [EACCES, EPERM, EROFS].contains(code) ? .denied : .system
        let help: [String] =
            switch code {
            case ENOSPC, EDQUOT: ["free some space on that disk: df -h"]
            case EACCES, EPERM: ["do it as the owner of that directory"]
            case EINVAL: ["the file system cannot exchange two directories; use another one"]
            default: []
            }
        self.init(kind, "cannot \(what) \(path): \(String(cString: strerror(code)))", help: help)
    }

    init(_ error: BridgeError) {
        let isTrust = [LoadRule.owner, .writable].map(\.rawValue).contains(error.rule)
        self.init(
            isTrust ? .denied : .system, error.message, fault: error.rule.flatMap(Fault.named))
    }
}
