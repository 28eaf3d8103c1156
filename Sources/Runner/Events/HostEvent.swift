// SPDX-License-Identifier: Apache-2.0
import CCurfew
public import Scheduling

/// A delivered event, as a value.
public struct HostEvent: Sendable {
    /// Its name and the number of its parameters.
    public let selector: EventSelector
    /// Its parameters, with the types that were declared.
    public let values: [EventValue]
    /// The public id of the task it is about, or 0.
    public let task: UInt64
    /// 1, 2, 3, … in the order of delivery; a gap counts what it lost.
    public let sequence: UInt64

    init(
        selector: EventSelector, values: UnsafePointer<curfew_value>, count: Int, task: UInt64,
        sequence: UInt64
    ) {
        self.selector = selector
        self.values = (0..<count).map { EventValue(copying: values[$0]) }
        self.task = task
        self.sequence = sequence
    }
}
