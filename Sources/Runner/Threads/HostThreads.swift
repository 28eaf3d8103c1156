// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import PluginBridge
import Synchronization

/// The threads of one host, and the role of each thread of the process in that host.
///
/// A thread runs the destructors of its thread-local data, including a plugin's, after its own
/// function has returned (pthread_exit(3)), and those may call the plugin's table as a thread of
/// the host. So a thread counts until it is joined; the host must not be freed earlier.
package final class HostThreads: Sendable {
    /// Joinable threads, by pthread_t.
    private let joinable = Locked<[UInt64]>([])
    private let inside = Atomic<UInt32>(0)
    /// Decides how polling threads share the cores.
    let cores = CoreSharing()
    /// The host's number in this process.
    let host = hosts.wrappingAdd(1, ordering: .relaxed).newValue
    private static let hosts = Atomic<UInt32>(0)
    /// Distinguishes this process from its forked children.
    let processMark = csys_process_mark()

    /// The number of threads whose function has not returned. A thread runs destructors of its
    /// thread-local data afterwards.
    var running: UInt32 { inside.load(ordering: .sequentiallyConsistent) }

    /// The key of the thread roles of this host.
    var owner: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    private var roles: ThreadRoles { ThreadRoles(owner) }

    var role: ThreadRole { roles.current }

    /// Gives the calling thread a role until it ends.
    func join(as role: ThreadRole) { roles.join(as: role) }

    /// Gives the calling thread a role while `body` runs.
    func during<T, Failure: Error>(
        _ role: ThreadRole, _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
        try roles.during(role, body)
    }

    /// Starts a thread with all signals blocked. Returns false when the system cannot create one.
    func start(stackBytes: UInt64 = 0, _ body: @escaping () -> Void) -> Bool {
        joinable.withLock { threads in
            // A lost thread that returned has ended by now, but still has its stack.
            threads.removeAll(where: csys_thread_join_ended)
            var thread: UInt64 = 0
            inside.wrappingAdd(1, ordering: .sequentiallyConsistent)
            let isStarted = ThreadBody.start(
                { [self] in
                    body()
                    inside.wrappingSubtract(1, ordering: .sequentiallyConsistent)
                }, stackBytes, &thread)
            guard isStarted else {
                inside.wrappingSubtract(1, ordering: .sequentiallyConsistent)
                return false
            }
            threads.append(thread)
            return true
        }
    }

    /// Starts a thread that belongs to no host. Returns false if the system cannot create one.
    @discardableResult
    package static func startDetached(_ body: @escaping () -> Void) -> Bool {
        ThreadBody.start(body)
    }

    /// Whether every thread has ended. Joins those that have.
    var areOver: Bool {
        joinable.withLock { threads in
            threads.removeAll(where: csys_thread_join_ended)
            return threads.isEmpty
        }
    }

    /// Waits until every thread has ended, at most until a CLOCK_MONOTONIC time.
    func awaitEnd(until deadline: UInt64) -> Bool {
        // Taken out of the list, so that `start` does not join the same thread.
        while let thread = joinable.withLock({ $0.popLast() }) {
            guard csys_thread_join_until(thread, deadline) else {
                joinable.withLock { $0.append(thread) }
                return false
            }
        }
        return true
    }

    /// Detaches threads that will not be joined, so that the system frees their stacks.
    func detach() {
        joinable.withLock { threads in
            for thread in threads { csys_thread_detach(thread) }
            threads.removeAll()
        }
    }
}
