// SPDX-License-Identifier: Apache-2.0

/// What the harness is told on its command line.
struct Orders {
    enum Mode: String {
        /// Submit and launch until somebody kills the process.
        case run
        /// Let everything end, and stop in order.
        case drain
        /// Do what standard input says, one order a line.
        case serve
        /// Submit as a command does, beside a host or without one.
        case client
    }

    var store = ""
    var mode = Mode.drain
    /// The beginning of each key: which round it is.
    var name = "x"
    /// Requests that each submitting thread submits.
    var count = 0
    var threads = 3
    /// `CrashPlan`'s text.
    var crash = ""
    /// Launches in a row that a process may not survive, before the request is parked.
    var crashes: UInt32 = 1_000_000
    /// The handler `poison` ends the process.
    var isPoisonous = false
    /// Keys that are submitted again: nobody knows whether they were taken in.
    var again: [String] = []
    /// A parked request to be lifted.
    var lift: UInt64?

    /// Nil: nobody would understand them.
    init?(_ words: [String]) {
        guard words.count >= 3, let mode = Mode(rawValue: words[2]) else { return nil }
        store = words[1]
        self.mode = mode
        var rest = words.dropFirst(3)
        while let word = rest.popFirst() {
            if word == "--poison" {
                isPoisonous = true
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch word {
            case "--name": name = value
            case "--count": count = Int(value) ?? 0
            case "--threads": threads = Int(value) ?? 1
            case "--crash": crash = value
            case "--crashes": crashes = UInt32(value) ?? 3
            case "--again": again = value.split(separator: ",").map(String.init)
            case "--lift": lift = UInt64(value)
            default: return nil
            }
        }
    }
}
