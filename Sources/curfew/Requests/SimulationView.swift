// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// Shows a simulation. Times are nanoseconds of the simulation's own clock since its beginning.
protocol SimulationView {
    func begin(_ facts: LifeFacts)
    func step(_ step: SimulationStep, at time: UInt64)
    /// Prints a remark about a step.
    func remark(_ text: String, at time: UInt64)
    func submitted(_ request: Request, at time: UInt64, now: Int64)
    func happened(_ entry: JournalEntry, at time: UInt64)
    func event(_ selector: EventSelector, _ values: [EventValue], at time: UInt64)
    func log(_ level: LogLevel, _ text: String, at time: UInt64)
    func why(_ answer: WhyAnswer, at time: UInt64)
    /// Ends the output; without an error all expectations held.
    func end(_ error: CommandError?, at time: UInt64)
}
