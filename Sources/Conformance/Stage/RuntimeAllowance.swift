// SPDX-License-Identifier: Apache-2.0

/// What the Swift runtime and libdispatch leave in a process that has used them, and the author of a
/// plugin cannot help: the one place where it is declared. A test sees to it that nothing stands
/// here that they do not bring about.
enum RuntimeAllowance {
    /// Names of threads, as much of them as the kernel keeps: those of the pool that all queues and
    /// tasks share. Asleep they are the runtime's; at work, the plugin's.
    static let threads: Set<String> = [
        "r-initiated-qos", "oot.default-qos", "oot.utility-qos", ".background-qos",
        "-qos.overcommit",
    ]

    /// What descriptors lead to: the queue of events, the timers and the wake-up of libdispatch.
    static let descriptors: Set<String> = [
        "anon_inode:[eventpoll]", "anon_inode:[eventfd]", "anon_inode:[timerfd]",
    ]
}
