// SPDX-License-Identifier: Apache-2.0

/// Shows the life of a task, on one thread.
protocol LifeView: AnyObject {
    func begin(_ facts: LifeFacts)
    func show(_ entry: LifeEntry)
    /// Time has passed; nanoseconds since the beginning.
    func tick(_ now: UInt64)
    func end(_ ending: LifeEnding)
    /// Reports that the task could not be launched; the error goes to standard error.
    func fail(_ error: CommandError, at time: UInt64)
}
