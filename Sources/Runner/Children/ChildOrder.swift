// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Synchronization

/// An order to a plugin's process that a thread of the host waits for.
final class ChildOrder: Sendable {
    private let answer = Locked<[UInt8]?>(nil)
    private let state = Atomic<UInt32>(0)
    private let sleepers = Sleepers()

    private static let carriedOut: UInt32 = 1
    private static let failed: UInt32 = 2

    /// The process has carried it out.
    func finish(_ message: UnsafeRawBufferPointer) {
        answer.withLock { $0 = Array(message) }
        end(Self.carriedOut)
    }

    /// The process has ended.
    func fail() { end(Self.failed) }

    private func end(_ value: UInt32) {
        state.store(value, ordering: .sequentiallyConsistent)
        sleepers.wake()
    }

    /// Waits until a CLOCK_MONOTONIC time. Returns the message of the process, or nil if it has not
    /// carried the order out.
    func wait(until deadline: UInt64) -> [UInt8]? {
        _ = sleepers.wait(until: deadline) {
            state.load(ordering: .sequentiallyConsistent) != 0
        }
        return answer.withLock { $0 }
    }
}
