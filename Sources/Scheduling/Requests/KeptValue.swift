// SPDX-License-Identifier: Apache-2.0

/// A value that a store keeps under a name, besides its requests.
package enum KeptValue: String, Sendable, CaseIterable {
    /// The process that used the store last, and whether it left in order.
    case host = "host"
    /// The part of the day's budget that is spent.
    case dayBudget = "day-budget"
    /// The hours at which apps were used.
    case usage = "usage"
    /// The relation of the clock of dates to that of spans.
    case clock = "clock"
    /// The settings that people have made about launches.
    case settings = "settings"
    /// The plugins that are not run.
    case quarantine = "quarantine"

    /// The consequence of forgetting the value, for requests: lower case, no full stop.
    package var loss: String {
        switch self {
        case .host: "the next host counts its start as one after an orderly end"
        case .dayBudget: "the day's budget is whole again"
        case .usage: "the hours of use are learned again"
        case .clock:
            "the next host does not notice that the clock was set back since the one before"
        case .settings: "handlers that were suspended or removed are launched again"
        case .quarantine: "plugins that were quarantined are run again"
        }
    }

    /// Returns the faults of a store's values, for people; empty if there are none.
    package static func faults(in store: any StoreTransaction) throws(StoreFault) -> [String] {
        var faults: [String] = []
        for value in allCases {
            guard let bytes = try store.value(value.rawValue), !value.isReadable(bytes) else {
                continue
            }
            faults.append(value.fault.message)
        }
        return faults
    }

    /// Returns whether a host can read the bytes.
    private func isReadable(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .host: HostNote(bytes) != nil
        case .dayBudget: DayBudget(bytes: bytes, limits: DayLimits()) != nil
        case .usage: UsageHistogram(bytes: bytes) != nil
        case .clock: ClockNote(bytes) != nil
        case .settings: HandlerSettings(bytes: bytes) != nil
        case .quarantine: QuarantineList(bytes: bytes) != nil
        }
    }

    fileprivate var fault: StoreFault {
        StoreFault(
            .corrupt,
            "the store's value `\(rawValue)` cannot be read, and nothing is launched before it can; no request was changed: restore a backup, or type `curfew db forget \(rawValue)`, and then \(loss)"
        )
    }
}

extension StoreTransaction {
    /// Reads a value; returns nil if the store has none.
    ///
    /// Throws `.corrupt` if `read` cannot decode the bytes. If damaged values counted as missing,
    /// damaged settings would launch a removed handler, and a damaged budget would be spent twice.
    func value<Value>(
        _ kept: KeptValue, _ read: ([UInt8]) -> Value?
    ) throws(StoreFault) -> Value? {
        guard let bytes = try value(kept.rawValue) else { return nil }
        guard let value = read(bytes) else { throw kept.fault }
        return value
    }

    /// Writes a value.
    func setValue(_ kept: KeptValue, _ bytes: [UInt8]) throws(StoreFault) {
        try setValue(kept.rawValue, bytes)
    }

    /// Removes a value, as if the store had never had it.
    package func forget(_ kept: KeptValue) throws(StoreFault) {
        try setValue(kept.rawValue, nil)
    }
}
