// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// An event as a subscriber saw it.
struct SeenEvent: Hashable, Sendable {
    let selector: String
    let parameters: [Parameter]
    let task: curfew_task
    let sequence: UInt64

    init(_ event: UnsafePointer<curfew_event>) {
        selector = String(cString: event.pointee.selector)
        parameters = (0..<Int(event.pointee.count)).compactMap {
            Parameter(event.pointee.values[$0])
        }
        task = event.pointee.task
        sequence = event.pointee.sequence
    }

    var isDone: Bool {
        selector.hasSuffix("_done::") && !selector.hasPrefix("registering")
            && !selector.hasPrefix("scheduling")
    }
}
