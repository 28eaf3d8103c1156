// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// The threads of one host, each counted until the system has ended it, and what every thread of the
/// process is to that host.
///
/// A thread runs the destructors of its thread-local data, a plugin's among them, after its own
/// function has returned (pthread_exit(3)), and those may call the plugin's table as a thread of the
/// host. So a thread counts until it can be joined: a host that is freed earlier is freed under them.
package final class HostThreads: Sendable {
    /// Joinable threads, by pthread_t.
    private let joinable = Locked<[UInt64]>([])
    /// How those that look for work share the cores.
    let cores = CoreSharing()
    /// Distinguishes this process from its forked children.
    let processMark = csys_process_mark()

    /// The owner that roles of threads are kept under.
    var owner: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// The role that the calling thread has in the host.
    var role: ThreadRole { ThreadRole(rawValue: csys_thread_role(owner)) ?? .other }

    /// Gives the calling thread a role for as long as it lives.
    func join(as role: ThreadRole) { csys_set_thread_owner(owner, role.rawValue) }

    /// Gives the calling thread a role while `body` runs.
    func during<T, Failure: Error>(
        _ role: ThreadRole, _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
        // The frame stands in front of the outer ones: a thread can be inside several hosts.
        let frame = UnsafeMutablePointer<csys_thread_frame>.allocate(capacity: 1)
        frame.initialize(
            to: csys_thread_frame(owner: owner, role: role.rawValue, outer: csys_thread_frames()))
        csys_set_thread_frames(frame)
        defer {
            csys_set_thread_frames(frame.pointee.outer)
            frame.deallocate()
        }
        return try body()
    }

    /// Starts a thread with all signals blocked. Returns false when the system has none to give.
    func start(
        _ body: @convention(c) (UnsafeMutableRawPointer?) -> Void,
        _ argument: UnsafeMutableRawPointer, stackBytes: UInt64 = 0
    ) -> Bool {
        joinable.withLock { threads in
            // A thread that came back from being lost has ended meanwhile, and still has its stack.
            threads.removeAll(where: csys_thread_join_ended)
            var thread: UInt64 = 0
            guard csys_thread_start(body, argument, stackBytes, &thread) == 0 else { return false }
            threads.append(thread)
            return true
        }
    }

    /// Whether every thread has ended. Frees the stacks of those that have.
    var areOver: Bool {
        joinable.withLock { threads in
            threads.removeAll(where: csys_thread_join_ended)
            return threads.isEmpty
        }
    }

    /// Waits until every thread has ended, at most until a CLOCK_MONOTONIC time.
    func awaitEnd(until deadline: UInt64) -> Bool {
        // Out of the list meanwhile: `start` must not try to join the same thread.
        while let thread = joinable.withLock({ $0.popLast() }) {
            guard csys_thread_join_until(thread, deadline) else {
                joinable.withLock { $0.append(thread) }
                return false
            }
        }
        return true
    }

    /// Lets the system free the stacks of threads that will not be joined any more.
    func detach() {
        joinable.withLock { threads in
            for thread in threads { csys_thread_detach(thread) }
            threads.removeAll()
        }
    }
}
