// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport

/// A subscriber that writes down what it sees.
final class Observer: Sendable {
    let seen = Guarded<[SeenEvent]>([])
    /// Called inside the callback, after the event was written down.
    private let body: @Sendable (SeenEvent) -> Void

    init(_ body: @escaping @Sendable (SeenEvent) -> Void = { _ in }) { self.body = body }

    /// What C calls; `event_data` is an observer.
    static let function: curfew_event_function = { data, event in
        let observer = Unmanaged<Observer>.fromOpaque(data!).takeUnretainedValue()
        let seen = SeenEvent(event)
        observer.seen.change { $0.append(seen) }
        observer.body(seen)
    }

    var events: [SeenEvent] { seen.value }

    /// The done events of one task.
    func dones(of task: curfew_task) -> [[Parameter]] {
        events.filter { $0.task == task && $0.isDone }.map(\.parameters)
    }

    /// Waits for an event. False when it did not come.
    func waits(for isWanted: (SeenEvent) -> Bool) -> Bool {
        seen.wait { $0.contains(where: isWanted) }
    }
}
