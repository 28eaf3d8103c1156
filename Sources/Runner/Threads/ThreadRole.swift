// SPDX-License-Identifier: Apache-2.0
import CSystem

/// What the calling thread is to a host.
enum ThreadRole: UInt64 {
    case other = 0
    case loading = 1
    case worker = 2
    case watcher = 3
    case loop = 4
    /// Inside the embedder's log function.
    case logging = 5

    /// The calling thread's role in the host `owner`.
    static func current(in owner: AnyObject) -> ThreadRole {
        let role = csys_thread_role(Unmanaged.passUnretained(owner).toOpaque())
        return ThreadRole(rawValue: role) ?? .other
    }

    /// Gives the calling thread a role for as long as `body` runs.
    func during<T, Failure: Error>(
        in owner: AnyObject, _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
        // The frame stands in front of the outer ones: a thread can be inside several hosts.
        let frame = UnsafeMutablePointer<csys_thread_frame>.allocate(capacity: 1)
        frame.initialize(
            to: csys_thread_frame(
                owner: Unmanaged.passUnretained(owner).toOpaque(), role: rawValue,
                outer: csys_thread_frames()))
        csys_set_thread_frames(frame)
        defer {
            csys_set_thread_frames(frame.pointee.outer)
            frame.deallocate()
        }
        return try body()
    }
}
