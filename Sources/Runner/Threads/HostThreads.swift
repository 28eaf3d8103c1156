// SPDX-License-Identifier: Apache-2.0
import CSystem
import Synchronization

/// The threads of one host, each counted until the system has ended it.
///
/// A thread runs the destructors of its thread-local data, a plugin's among them, after its own
/// function has returned (pthread_exit(3)), and those may call the plugin's table as a thread of the
/// host. So a thread counts until it can be joined: a host that is freed earlier is freed under them.
final class HostThreads: Sendable {
    /// Joinable threads, by pthread_t.
    private let joinable = Locked<[UInt64]>([])

    /// Starts a thread with all signals blocked. False when the system has none to give.
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

    /// True once every thread has ended. Frees the stacks of those that have.
    var areOver: Bool {
        joinable.withLock { threads in
            threads.removeAll(where: csys_thread_join_ended)
            return threads.isEmpty
        }
    }

    /// Lets the system free the stacks of threads nobody waits for any more.
    func detach() {
        joinable.withLock { threads in
            for thread in threads { csys_thread_detach(thread) }
            threads.removeAll()
        }
    }
}
