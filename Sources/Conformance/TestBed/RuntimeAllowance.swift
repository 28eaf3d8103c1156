// SPDX-License-Identifier: Apache-2.0

/// The threads, descriptors and variables that the Swift runtime and libdispatch leave in a
/// process, which the author of a plugin cannot avoid. This is the only place that declares them. A
/// test checks that the list has no superfluous entry.
enum RuntimeAllowance {
    /// Names of threads, as much of them as the kernel keeps: those of the pool that all queues and
    /// tasks share. Asleep they are the runtime's; at work, the plugin's.
    static let threads: Set<String> = [
        "r-initiated-qos", "oot.default-qos", "oot.utility-qos", ".background-qos",
        "-qos.overcommit",
    ]

    /// The targets of descriptors: libdispatch's event queue, timers and wake-up.
    static let descriptors: Set<String> = [
        "anon_inode:[eventpoll]", "anon_inode:[eventfd]", "anon_inode:[timerfd]",
    ]
}
