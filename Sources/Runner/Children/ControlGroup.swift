// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// A control group of its own for one child, with everything that the child starts.
final class ControlGroup: Sendable {
    let directory: ControlGroupDirectory
    private let parent: ControlGroupDirectory
    let name: String
    /// The memory of all its processes together has a limit, that of files in memory included.
    let limitsMemory: Bool
    /// The number of its processes and threads has a limit, whoever they belong to.
    let limitsProcesses: Bool

    /// Makes the group. Returns nil if the system refuses it, with errno.
    ///
    /// - Parameter limits: those of the child; 0 or the greatest value where there is none.
    init?(_ name: String, below parent: ControlGroupDirectory, _ limits: csys_limits) {
        self.name = name
        self.parent = parent
        guard let directory = parent.make(name) else { return nil }
        self.directory = directory
        // A quarter more than the limit of private memory, so that an allocation fails before the kernel
        // ends the process for it; and no swap, which would be a second limit.
        let memory = limits.memory.addingReportingOverflow(limits.memory / 4)
        limitsMemory =
            limits.memory != 0 && !memory.overflow
            && directory.write(memory.partialValue, to: "memory.max")
        if limitsMemory { _ = directory.write(0, to: "memory.swap.max") }
        // The supervisor is in the group as well.
        limitsProcesses =
            limits.processes != 0 && limits.processes != .max
            && directory.write(limits.processes + 1, to: "pids.max")
    }

    /// Whether the kernel has ended a process of it for want of memory.
    var hasRunOutOfMemory: Bool { directory.value(of: "oom_kill", in: "memory.events") ?? 0 > 0 }

    /// Kills what is left in the group, and removes it. Returns false when a process of it has not ended.
    func end() -> Bool {
        // Linux 5.14; before, the supervisor alone kills.
        _ = directory.write(1, to: "cgroup.kill")
        return parent.remove(name)
    }
}
