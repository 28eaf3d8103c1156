// SPDX-License-Identifier: Apache-2.0
import CSystem

/// The roles of the threads of one host, or of a plugin's process.
package struct ThreadRoles: @unchecked Sendable {
    // Sendable: the pointer is a key and never read through.

    /// Distinguishes the hosts of a process.
    @usableFromInline let owner: UnsafeRawPointer

    package init(_ owner: UnsafeRawPointer) { self.owner = owner }

    /// The role of the calling thread.
    package var current: ThreadRole { ThreadRole(rawValue: csys_thread_role(owner)) ?? .other }

    /// Gives the calling thread a role until it ends.
    package func join(as role: ThreadRole) { csys_set_thread_owner(owner, role.rawValue) }

    /// Gives the calling thread a role while `body` runs.
    @inlinable package func during<T, Failure: Error>(
        _ role: ThreadRole, _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
        // Frames form a stack, because a thread can be inside several hosts.
        var frame = csys_thread_frame(
            owner: owner, role: role.rawValue, outer: csys_thread_frames())
        return try withUnsafeMutablePointer(to: &frame) { frame throws(Failure) in
            csys_set_thread_frames(frame)
            defer { csys_set_thread_frames(frame.pointee.outer) }
            return try body()
        }
    }
}

/// A thread's role in a host: a `CURFEW_THREAD_` constant.
package enum ThreadRole: UInt64 {
    case other = 0
    case loading = 1
    case worker = 2
    case deadline = 3
    case loop = 4
    /// Inside the embedder's log function.
    case logging = 5
    /// Reading or deciding with the lock of a channel, in which no foreign code is called.
    case channel = 6
}
