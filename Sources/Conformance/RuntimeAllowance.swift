// SPDX-License-Identifier: Apache-2.0

/// What the Swift runtime and libdispatch leave in a process that has used them, and the plugin's
/// author cannot help: the one place where it is declared. A test sees to it that nothing stands
/// here that no plugin in Swift brings about.
enum RuntimeAllowance {
    /// Names of threads.
    static let threads: Set<String> = []

    /// What descriptors lead to: the queue of events, the timer and the wake-up of libdispatch.
    static let descriptors: Set<String> = [
        "anon_inode:[eventpoll]", "anon_inode:[eventfd]", "anon_inode:[timerfd]",
    ]

    static func isDescriptor(_ target: String) -> Bool { descriptors.contains(target) }
}
