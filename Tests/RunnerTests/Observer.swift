// SPDX-License-Identifier: Apache-2.0

import Scheduling
import TestSupport

@testable import Runner

/// A subscriber that records the events that it receives.
final class Observer: Sendable {
    let seen = Guarded<[HostEvent]>([])
    /// Called after the event was recorded.
    private let body: @Sendable (HostEvent) -> Void

    init(_ body: @escaping @Sendable (HostEvent) -> Void = { _ in }) { self.body = body }

    func receive(_ event: HostEvent) {
        seen.change { $0.append(event) }
        body(event)
    }

    var events: [HostEvent] { seen.value }

    /// The values of the done events of one task.
    func dones(of task: UInt64) -> [[EventValue]] {
        events.filter { $0.task == task && $0.isDone }.map(\.values)
    }

    /// Waits for an event. Returns false if it did not come.
    func waits(for isWanted: (HostEvent) -> Bool) -> Bool {
        seen.wait { $0.contains(where: isWanted) }
    }
}

extension HostEvent {
    /// The selector's text, `tidy_done::`.
    var name: String { selector.description }

    var isDone: Bool {
        name.hasSuffix("_done::") && !name.hasPrefix("registering")
            && !name.hasPrefix("scheduling")
    }
}
