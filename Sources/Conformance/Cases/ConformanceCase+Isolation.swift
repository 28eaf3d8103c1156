// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Where the plugin's code can run while a case checks it.
extension ConformanceCase {
    /// Cases behind an interposer, which stands between the plugin and its table.
    private static let interposed: Set<String> = [
        "struct-ends", "larger-structs", "missing-extensions", "thread-tags",
        "refused-registration", "short-expiration", "status-known", "register-only-in-entry",
        "borrowed-poisoned", "const-inputs", "payload-end", "signal-mask", "fpu-state",
        "host-says-no", "worker-state", "no-memory", "chaos", "no-races", "call-order",
    ]

    /// Cases that look at the process in which the code runs, or change it.
    private static let ofItsProcess: Set<String> = [
        "dlopen-ok", "symbols-resolve", "constructors-quiet", "scan-time", "idle-retire",
        "threads-joined", "leak-per-task", "signal-actions", "process-globals",
        "descriptors-and-children", "stdio-untouched", "fork-exec", "clean-exit",
        "no-descriptors", "no-space", "reinit-100", "hardened-memory", "leaves-nothing",
    ]

    /// Cases about several hosts in one process, and about the end of their threads.
    private static let ofItsHosts: Set<String> = [
        "two-copies", "init-twice", "no-affinity", "thread-exit", "new-version",
    ]

    /// Why the case is not run with the plugin in an isolation; nil where it is.
    package func reasonToSkip(in isolation: Isolation) -> String? {
        guard isolation == .process else { return nil }
        if Self.interposed.contains(name) {
            return "the kit stands between a plugin and its table in its own process only"
        }
        if Self.ofItsProcess.contains(name) {
            return "the kit looks at, or changes, its own process with the plugin in it"
        }
        if Self.ofItsHosts.contains(name) {
            return "a process has one host, and is killed when that ends"
        }
        return nil
    }
}
