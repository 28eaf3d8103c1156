// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// The memory of one task: one cache line in the task table.
///
/// A free slot already holds the fresh word of its next generation, so that a plain launch does not
/// touch it. What a launch does write, it writes before the queue publishes the id.
struct TaskSlot: ~Copyable {
    /// A `TaskStateMachine`.
    let word: Atomic<UInt64>
    /// A retained `TaskRecord`, or 0: what few tasks have.
    let record: Atomic<UInt>
    /// Whose task it is; set when the id is put into that handler's queue as the next free one.
    let handler: Atomic<UInt>
    /// Copied by the launch, from malloc(3), freed with the slot; 0 when there is none.
    let payload: Atomic<UInt>
    let payloadBytes: Atomic<UInt64>
    let startedAt: Atomic<UInt64>
    let deadline: Atomic<UInt64>
    /// Those who wait until the task is over, or one that was here before. Not in the record: the
    /// memory stays, so that whoever has ended the task need not hold it to wake them.
    let sleepers: Sleepers
    /// Not 0 where the record has somebody to call once the task is over; until the slot is freed.
    let listened: Atomic<UInt32>
}

typealias TaskSlotPointer = UnsafeMutablePointer<TaskSlot>

extension UnsafeMutablePointer where Pointee == TaskSlot {
    /// The state as it was a moment ago.
    @inline(__always) var state: TaskStateMachine {
        TaskStateMachine(word: pointee.word.load(ordering: .acquiring))
    }

    var handlerQueue: UnsafeMutablePointer<HandlerQueue>? {
        UnsafeMutablePointer<HandlerQueue>(
            bitPattern: pointee.handler.load(ordering: .relaxed))
    }
}
