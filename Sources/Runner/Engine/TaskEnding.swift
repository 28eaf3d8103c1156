// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// The end of a task, for every thread that can decide it: its worker, a thread that completes it,
/// one that stops it.
///
/// One exchange decides. Its done event is queued where it is wanted: by a place in the task itself,
/// if that was known before the exchange. A thread that began to want it between the look and the
/// exchange may have seen the task running, so that there is a second look, and an event of its own
/// memory.
struct TaskEnding {
    let task: TaskReference
    let slot: TaskSlotPointer
    let handler: HandlerQueuePointer

    /// Decides a task, and queues its done event after all of its earlier ones.
    ///
    /// - Parameters:
    ///   - mustQueue: the done event is queued whether it is wanted or not.
    ///   - exchange: makes the step that ends the task. Returns nil when it is not made.
    ///   - decided: called before the done event can be seen.
    ///   - late: outcome and error text, for a task whose memory is not the task's any more.
    ///   - unwanted: called when the done event was not queued.
    /// - Returns: the state after the exchange. The caller frees the slot when it is of another
    ///   generation.
    @inline(__always)
    func decide(
        in tasks: TaskTable, _ events: EventQueue, mustQueue: Bool = false,
        exchange: (_ queueingDone: Bool) -> TaskStateMachine?,
        decided: () -> Void,
        late: () -> (outcome: Outcome, error: String),
        unwanted: () -> Void
    ) -> TaskStateMachine? {
        let wanted = events.wants(handler.pointee.doneTakers) || mustQueue
        guard let over = exchange(wanted) else { return nil }
        decided()
        if wanted {
            events.raiseDone(slot)
        } else if events.wants(handler.pointee.doneTakers) {
            let (outcome, error) = late()
            events.raiseDone(
                handler.pointee.doneEvent, task: tasks.publicID(task), outcome, error: error)
        } else {
            unwanted()
        }
        return over
    }
}
