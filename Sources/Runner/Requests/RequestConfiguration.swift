// SPDX-License-Identifier: Apache-2.0
public import Scheduling

/// What a host's requests are made with.
public struct RequestConfiguration: Sendable {
    /// Opens the store; nil: requests live in memory, and are gone with the host.
    package var openStore: (@Sendable () throws(StoreFault) -> any RequestStore)?
    /// Looks the store's file through after an unclean stop, and returns what is wrong; called on a
    /// thread of its own. Nil: there is nothing to look at.
    package var checkStore: (@Sendable () throws(StoreFault) -> [String])?
    /// A file that is touched by others who have written into the store; nil: there are none.
    package var wakeFile: String?
    /// Nanoseconds of real time after which the host looks whether others have written into the store,
    /// although the file was not touched: they may have been killed before.
    package var storeLookInterval: UInt64 = 60_000_000_000
    /// Which process this is.
    package var host = HostIdentity(boot: "", process: 0, start: 0)
    /// What is taken in, and how long it is kept.
    public var limits = RequestLimits()
    /// Which factors count for which requests.
    public var policy = FactorPolicy()
    /// Nanoseconds that a change of a factor has to last before it counts.
    package var patience: UInt64 = 5_000_000_000
    /// What a day may cost.
    package var dayBudget = DayBudget(limits: DayLimits())
    /// Tasks of requests that run at a time, short ones and long ones each.
    public var places = 64
    /// How often a handler is launched at most.
    package var rate = LaunchRate()
    /// The longest pause before a request without a date, of an identifier of which such requests were
    /// launched lately, in nanoseconds: a second after the first launch, twice that after each further
    /// one, up to this. 0: none. Nil: 15 minutes, and none on a manual clock, where a simulation says
    /// when time passes. Requests that are added to pending ones, and those that a user waits for,
    /// have no such pause.
    package var floor: UInt64?
    /// Requests wait for an hour at which the app is used at least so much, 0…1; 0: they never do.
    public var usageThreshold = 0.0
    /// Where the machine's factors are known from.
    package var sources: [any FactorSource] = []
    /// Nanoseconds between two looks at the sources, while anything depends on them.
    package var sourceInterval: UInt64 = 30_000_000_000

    /// Requests in memory, and every default.
    public init() {}
}
