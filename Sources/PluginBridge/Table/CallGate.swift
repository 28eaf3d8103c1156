// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Counts the calls that are inside something, and lets none in any more once it is closed: then
/// whoever closed it waits until it is empty, and nobody is left who could touch what goes away.
public final class CallGate: Sendable {
    /// Twice the number of calls inside, plus 1 once it is closed.
    private let word = Atomic<UInt64>(0)

    public init() {}

    /// Lets a call in, which has to `leave`. False when the gate is closed: then there is nothing
    /// to leave.
    @inline(__always) public func enter() -> Bool {
        guard word.wrappingAdd(2, ordering: .sequentiallyConsistent).oldValue & 1 != 0 else {
            return true
        }
        leave()
        return false
    }

    @inline(__always) public func leave() {
        word.wrappingSubtract(2, ordering: .sequentiallyConsistent)
    }

    /// Lets nobody in any more. Again is no harm.
    public func close() { word.bitwiseOr(1, ordering: .sequentiallyConsistent) }

    public func open() { word.bitwiseAnd(~1, ordering: .sequentiallyConsistent) }

    @inline(__always) public var isClosed: Bool { word.load(ordering: .acquiring) & 1 != 0 }

    /// True once nobody is inside; of a closed gate that stays so.
    public var isEmpty: Bool { word.load(ordering: .sequentiallyConsistent) < 2 }
}
