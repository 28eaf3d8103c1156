// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// One event during its delivery, which keeps alive what the pointers refer to.
struct Delivery {
    unowned(unsafe) let entry: EventEntry
    let values: UnsafeMutablePointer<curfew_value>
    let count: Int
    let task: UInt64
    let sequence: UInt64

    var event: HostEvent {
        HostEvent(
            selector: entry.selector, values: values, count: count, task: task, sequence: sequence)
    }

    /// The C view of the event, valid for one call.
    var foreign: curfew_event {
        curfew_event(
            struct_size: UInt32(MemoryLayout<curfew_event>.size), count: UInt32(count),
            selector: UnsafePointer(entry.text), values: values, task: task, sequence: sequence)
    }
}
