// SPDX-License-Identifier: Apache-2.0

/// A part of a host that has children, and is called by the thread that waits for them.
package protocol ChildClient: AnyObject, Sendable {
    /// Reads what is there at a descriptor that it watches.
    func receive(from descriptor: Int32)
    /// Does what is due. Returns the time on CLOCK_MONOTONIC of the next call, or `.max`.
    ///
    /// It is called after every wait, so that `ChildThread.wake` leads to a call.
    func pass(now: UInt64) -> UInt64
    /// Whether it has no children. The end of the thread waits for that.
    var isOver: Bool { get }
    /// Closes all descriptors that are left: the thread ends.
    func abandon()
}
