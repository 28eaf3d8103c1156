// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// The memory of one task: one cache line in the task table.
///
/// A free slot already holds the initial word of its next generation, so a plain launch does not
/// touch it. A launch with options writes the slot before the queue publishes the id.
struct TaskSlot: ~Copyable {
    /// A `TaskStateMachine`.
    let word: Atomic<UInt64>
    /// A retained `TaskRecord`, or 0.
    let record: Atomic<UInt>
    /// The address of the `HandlerQueue`; set when the id becomes a free id of that queue.
    let handler: Atomic<UInt>
    /// The payload's copy from malloc(3), freed with the slot; 0 without one.
    let payload: Atomic<UInt>
    let payloadBytes: Atomic<UInt64>
    let startedAt: Atomic<UInt64>
    let deadline: Atomic<UInt64>
    /// Threads that wait for the end of this task or of an earlier one in the slot. In the slot,
    /// whose memory stays mapped, so that the waking thread need not keep the task.
    let sleepers: Sleepers
    /// Not 0 if the record has callbacks for the end of the task; reset when the slot is freed.
    let listened: Atomic<UInt32>
}

typealias TaskSlotPointer = UnsafeMutablePointer<TaskSlot>

extension UnsafeMutablePointer where Pointee == TaskSlot {
    @inline(__always) var state: TaskStateMachine {
        TaskStateMachine(word: pointee.word.load(ordering: .acquiring))
    }

    var handlerQueue: UnsafeMutablePointer<HandlerQueue>? {
        UnsafeMutablePointer<HandlerQueue>(
            bitPattern: pointee.handler.load(ordering: .relaxed))
    }
}
