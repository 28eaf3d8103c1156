// SPDX-License-Identifier: Apache-2.0
import CCurfew
public import Scheduling

/// A delivered event as a value.
public struct HostEvent: Sendable {
    /// The name and the arity.
    package let selector: EventSelector
    /// Its name, such as `mirror_done`. Events of one name may differ in their number of parameters.
    public var name: String { selector.name }
    /// The parameters, with the declared types.
    public let values: [EventValue]
    /// The public id of the event's task, or 0.
    public let task: UInt64
    /// Number in delivery order, starting at 1; a gap advances it by the events it lost.
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
