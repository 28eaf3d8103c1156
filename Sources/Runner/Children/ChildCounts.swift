// SPDX-License-Identifier: Apache-2.0

/// What has come of the processes of a plugin.
struct ChildCounts {
    var started: UInt64 = 0
    /// Ended by themselves: by a signal, or an exit.
    var crashed: UInt64 = 0
    /// Killed, because a function did not return, or for a quarantine.
    var killed: UInt64 = 0
    /// Killed, because they broke the rules of their channel.
    var faulty: UInt64 = 0
    /// Those that crashed, or broke the rules, by the number of the signal; 0 for an exit.
    var bySignal: [Int32: UInt64] = [:]
    /// Records that were read from them.
    var records: UInt64 = 0

    static func += (sum: inout ChildCounts, one: ChildCounts) {
        sum.started &+= one.started
        sum.crashed &+= one.crashed
        sum.killed &+= one.killed
        sum.faulty &+= one.faulty
        sum.records &+= one.records
        sum.bySignal.merge(one.bySignal, uniquingKeysWith: &+)
    }
}
