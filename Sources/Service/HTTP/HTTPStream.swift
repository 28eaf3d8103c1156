// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import Synchronization

/// An answer that goes on: what is put into it is sent, until it is ended or its client leaves.
///
/// It keeps what was put until the client takes it. Its owner puts more once it is empty, so that a slow
/// client costs one portion.
package final class HTTPStream: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// The bytes that were taken.
        var taken = 0
        var isEnded = false
    }

    private let state = Locked(State())
    private let closed = Atomic<Bool>(false)
    /// Wakes the server's thread.
    private let wake = Callback<Void>()
    private let drained: @Sendable () -> Void

    /// - Parameter drained: called on the server's thread when all was taken, and when the client has left; it
    ///   must not block.
    package init(drained: @escaping @Sendable () -> Void) { self.drained = drained }

    // MARK: The owner

    /// Whether all that was put was taken.
    package var isEmpty: Bool { state.withLock { $0.taken == $0.bytes.count } }

    /// Whether the client has left, or was sent away.
    package var isClosed: Bool { closed.load(ordering: .acquiring) }

    package func put(_ bytes: [UInt8]) {
        state.withLock { $0.bytes += bytes }
        wake()
    }

    /// Ends the answer once all was taken.
    package func end() {
        state.withLock { $0.isEnded = true }
        wake()
    }

    // MARK: The server

    func attach(_ wake: @escaping @Sendable () -> Void) { self.wake.set(wake) }

    func close() {
        wake.set {}
        closed.store(true, ordering: .releasing)
        drained()
    }

    /// The next bytes to send.
    enum Part {
        case bytes(Int)
        case nothing
        case end
    }

    func take(into room: UnsafeMutableRawBufferPointer) -> Part {
        let (part, isDrained) = state.withLock { state -> (Part, Bool) in
            let count = min(room.count, state.bytes.count - state.taken)
            guard count > 0 else { return (state.isEnded ? .end : .nothing, false) }
            state.bytes.withUnsafeBytes {
                room.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: $0[state.taken..<state.taken + count]))
            }
            state.taken += count
            guard state.taken == state.bytes.count else { return (.bytes(count), false) }
            state.bytes = []
            state.taken = 0
            return (.bytes(count), true)
        }
        if isDrained { drained() }
        return part
    }
}
