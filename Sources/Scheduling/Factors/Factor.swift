// SPDX-License-Identifier: Apache-2.0

/// A factor that the scheduler weighs before a launch.
public enum Factor: UInt8, Sendable, CaseIterable, KebabCased {
    // Factors of the machine
    /// The machine has external power; counts if a request requires it.
    case externalPower = 1
    /// The battery is not nearly empty.
    case battery = 2
    /// The machine does not save power.
    case lowPowerMode = 3
    /// The machine is not too hot.
    case thermal = 4
    /// There is a network; counts if a request requires it.
    case network = 5
    /// Processor, memory and disks are not overloaded.
    case pressure = 6
    /// No user is active at the machine.
    case idle = 7
    /// A user has logged in since the machine booted.
    case firstUnlock = 8

    // Factors of the handler
    /// Refreshing in the background is allowed.
    case refreshSetting = 20
    /// The user has neither suspended nor removed the handler.
    case enablement = 21
    /// The hour is one at which its app is usually used.
    case usage = 22
    /// The handler's last launch, or missed completion, was long enough ago.
    case launchRate = 23
    /// The handler is registered, and neither paused nor quarantined.
    case handler = 24
    /// The handler may run one more task.
    case concurrency = 25

    // Factors of the host
    /// The daily budget is not spent.
    case dayBudget = 40
    /// The host may run one more task.
    case place = 41
    /// The store works.
    case store = 42
    /// The host launches tasks: it is not shutting down.
    case host = 43

    // Factors of the request
    /// Its date has come.
    case date = 60
    /// The request did not crash the process repeatedly.
    case parked = 61

    /// Whether it is a factor of the machine, which sources and embedders can report.
    package var isSettable: Bool { rawValue < 20 }

    /// Returns whether a request of the queue waits for it only as long as it wishes.
    func isWish(of queue: RequestQueue) -> Bool {
        switch self {
        case .battery, .lowPowerMode, .thermal, .pressure, .idle, .firstUnlock, .usage, .launchRate,
            .dayBudget:
            queue.opportunistic != .no
        default: false
        }
    }

    /// The event that makes a factor of the machine allow launches again.
    var remedy: String {
        switch self {
        case .externalPower: "connect it to power"
        case .battery: "charge the battery"
        case .lowPowerMode: "leave the mode that saves power"
        case .thermal: "it cools down"
        case .network: "connect it to a network"
        case .pressure: "the load goes down"
        case .idle: "no user works at the machine for a while"
        case .firstUnlock: "a user logs in"
        case .refreshSetting, .enablement, .usage, .launchRate, .handler, .concurrency, .dayBudget,
            .place, .store, .host, .date, .parked:
            ""
        }
    }
}

/// Whether a factor allows launches.
public enum FactorState: UInt8, Sendable, CaseIterable, KebabCased {
    /// It delays launches.
    case no = 0
    /// It allows launches.
    case yes = 1
    /// No source knows it. The policy decides; by default it allows launches.
    case unknown = 2
}
