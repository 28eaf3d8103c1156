// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// The configuration of a host's requests.
public struct RequestConfiguration: Sendable {
    /// Opens the store. Nil means requests in memory, which end with the host.
    package var openStore: (@Sendable () throws(StoreFault) -> any RequestStore)?
    /// Checks the store's file after an unclean stop and returns the problems found.
    /// Called on its own thread. Nil means that there is nothing to check.
    package var checkStore: (@Sendable () throws(StoreFault) -> [String])?
    /// A file that other processes touch after writing to the store; nil without other processes, and where
    /// there is a lease.
    package var wakeFile: String?
    /// Keeps this host in a store that many share; nil where a lock does, or nobody else can use the store.
    package var lease: (any HostLease)?
    /// Returns the nanoseconds that are added to the machine's clock for dates, where hosts with other clocks use the
    /// store as well. Any thread may call it. A manual clock counts as it is.
    package var wallOffset: (@Sendable () -> Int64)?
    /// What other hosts are to know of this one, in a store that many share.
    package var record: HostRecord?
    /// Whether a host that has not left the store is gone for certain. All are where a lock says so.
    package var isGone: @Sendable (HostRecord) -> Bool = { _ in true }
    /// Nanoseconds of real time between checks for writes by other processes. They find writes of a
    /// process that was killed before it touched the file.
    package var storeLookInterval: UInt64 = 60_000_000_000
    /// Called when a request has launched a task, before the task's done event is raised.
    package var launched: (@Sendable (_ task: UInt64, _ request: RequestID) -> Void)?
    /// The schedules that the store is to have before anything is launched; nil: those that it has.
    package var schedules: [Schedule]?
    /// The set that those are; "" if they are all that have none.
    package var scheduleSet = ""
    package var host = HostIdentity(boot: "", process: 0, start: 0)
    /// Limits of accepting and keeping requests.
    package var limits = RequestLimits()
    /// The factors that apply to each kind of request.
    package var policy = FactorPolicy()
    /// Nanoseconds that a change of a factor has to last before it counts.
    package var debounceNanoseconds: UInt64 = 5_000_000_000
    package var dayBudget = DayBudget(limits: DayLimits())
    /// Maximum number of running request tasks, for short and long ones each.
    public var places = 64
    /// The maximum launch rate of a handler.
    package var rate = LaunchRate()
    /// The longest pause in nanoseconds between launches of an identifier's undated requests.
    ///
    /// The pause is a second after the first launch and doubles with each further one, up to this
    /// value; 0 means no pause. Nil means 15 minutes, or none on a manual clock, where a simulation
    /// decides when time passes. `Request.isUndated` says which requests have it.
    package var floor: UInt64?
    /// The longest pause where `floor` is nil and the clock is the system's. As for background
    /// fetches: users do not notice a higher rate.
    package static let usualFloor: UInt64 = 900_000_000_000
    /// Requests wait for an hour with at least this app usage, 0…1; 0 means they do not wait.
    public var usageThreshold = 0.0
    package var sources: [any FactorSource] = []
    /// The thresholds with which `sources` judge the machine.
    package var machineThresholds = MachineThresholds()
    /// Nanoseconds between two reads of the sources while a request or subscriber depends on them.
    package var sourceInterval: UInt64 = 30_000_000_000

    /// Creates the default configuration, with requests in memory.
    package init() {}

    /// A message saying which value is out of range, or nil.
    var fault: String? {
        if places < 1 { return "place_limit is \(places); it must be at least 1" }
        if rate.penalty > rate.longestPenalty {
            return "penalty_ns is \(rate.penalty); it must be at most \(rate.longestPenalty) (24 h)"
        }
        if !(0...1).contains(usageThreshold) {
            return "usage_threshold is \(usageThreshold); it must be in 0…1"
        }
        return machineThresholds.fault
    }
}
