// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// One event on its way to those who want it, in the forms they want it in; only during delivery,
/// which holds what it points to.
struct Delivery {
    unowned(unsafe) let entry: EventEntry
    let values: UnsafeMutablePointer<curfew_value>
    let count: Int
    let task: UInt64
    let sequence: UInt64

    /// As a value.
    var event: HostEvent {
        HostEvent(
            selector: entry.selector, values: values, count: count, task: task, sequence: sequence)
    }

    /// As C sees it, for the length of a call.
    var foreign: curfew_event {
        curfew_event(
            struct_size: UInt32(MemoryLayout<curfew_event>.size), count: UInt32(count),
            selector: UnsafePointer(entry.text), values: values, task: task, sequence: sequence)
    }
}
