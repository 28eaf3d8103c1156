// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// The end of a task, as decided by its worker, a thread that completes it, or one that stops it.
///
/// One exchange decides. If the done event has receivers before the exchange, it uses its reserved
/// place in the task. A thread that begins to want the event between that check and the exchange
/// may have seen the task running, so there is a second check, and then an event with memory of its
/// own.
struct TaskEnding {
    let task: TaskReference
    let slot: TaskSlotPointer
    let handler: HandlerQueuePointer

    /// Ends a task and queues its done event after all of its earlier events.
    ///
    /// - Parameters:
    ///   - mustQueue: queue the done event even without a receiver.
    ///   - exchange: makes the final step. Returns nil when it fails.
    ///   - decided: called before the done event becomes visible.
    ///   - late: outcome and error text, read when the slot may belong to another task.
    ///   - unwanted: called when the done event was not queued.
    /// - Returns: the state after the exchange. The caller frees the slot if the generation differs.
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
