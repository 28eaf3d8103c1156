// SPDX-License-Identifier: Apache-2.0
import CSystem

/// What the calling thread is to a host.
enum ThreadRole: UInt64 {
    case other = 0
    case loading = 1
    case worker = 2
    case watcher = 3
    case loop = 4

    /// The calling thread's role in the host `owner`.
    static func current(in owner: AnyObject) -> ThreadRole {
        guard csys_thread_owner() == UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
        else { return .other }
        return ThreadRole(rawValue: csys_thread_role()) ?? .other
    }

    /// Gives the calling thread a role for as long as `body` runs.
    func during<T, Failure: Error>(
        in owner: AnyObject, _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
        let (before, role) = (csys_thread_owner(), csys_thread_role())
        csys_set_thread_owner(Unmanaged.passUnretained(owner).toOpaque(), rawValue)
        defer { csys_set_thread_owner(before, role) }
        return try body()
    }
}
