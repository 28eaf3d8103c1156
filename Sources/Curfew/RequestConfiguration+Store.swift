// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Persistence
public import Runner
public import Scheduling
import Surroundings

extension RequestConfiguration {
    /// Stores requests in a directory, which is created if it does not exist. Acknowledged requests
    /// survive the process and the machine.
    ///
    /// The directory belongs to the store: mode 0700, on a local file system; its parent must
    /// exist. One host uses it at a time; the command line may list, submit and cancel beside it.
    ///
    /// In place of a directory it takes the URL of a database of PostgreSQL 15 or later, such as
    /// postgresql://curfew@db.example.org/curfew. Any number of hosts use such a store at the same time.
    ///
    /// Throws `.denied` if the process cannot be identified (no /proc), or the URL is malformed.
    public mutating func store(in directory: String) throws(CurfewError) {
        let identity: HostIdentity
        let address: StoreAddress
        do throws(StoreFault) {
            identity = try HostIdentity.current()
            address = try StoreAddress(directory)
        } catch {
            throw CurfewError(error.status, error.message)
        }
        host = identity
        if case .server(let address) = address { return store(on: address) }
        openStore = { () throws(StoreFault) in
            let store = try SQLiteStore.open(directory: directory, as: .host(identity))
            try SQLiteStore.touchWake(directory: directory)
            return store
        }
        checkStore = { () throws(StoreFault) in try SQLiteStore.quickCheck(directory: directory) }
        wakeFile = SQLiteStore.wakeFile(of: directory)
    }

    private mutating func store(on address: PostgresAddress) {
        let mine = HostRecord(
            identity: host, machine: HostIdentity.machine, space: HostIdentity.space, since: 0,
            lease: address.lease, release: CURFEW_VERSION_STRING)
        record = mine
        let clock = PostgresClock()
        openStore = { () throws(StoreFault) in
            try PostgresStore.open(address, creates: true, clock: clock)
        }
        lease = PostgresLease(address, clock: clock)
        wallOffset = { clock.nanoseconds }
        checkStore = nil
        wakeFile = nil
        // Of a host on another machine only its silence tells.
        isGone = { other in other.isVisible(to: mine) && !other.identity.isThere }
    }

    /// Reads the machine's factors from the kernel: power, battery, heat, network, load, logged-in
    /// users.
    public mutating func readMachine(_ thresholds: MachineThresholds = MachineThresholds()) {
        machineThresholds = thresholds
        sources = [
            PowerSupplySource(thresholds: thresholds), PowerProfileSource(), ThermalSource(),
            NetworkSource(),
            PressureSource(thresholds: thresholds), IdleSource(thresholds: thresholds),
            FirstUnlockSource(),
        ]
    }

    // MARK: Limits and times

    /// The maximum number of pending requests of one identifier; by default 10,000.
    public var pendingLimitPerIdentifier: Int {
        get { limits.pendingPerIdentifier }
        set { limits.pendingPerIdentifier = newValue }
    }

    /// The maximum number of pending requests in all; by default 1,000,000.
    public var pendingLimitInAll: Int {
        get { limits.pendingInAll }
        set { limits.pendingInAll = newValue }
    }

    /// The limits of pending requests of single kinds; by default none. A kind that is left out keeps
    /// its limit. Apple's modules set 1 for the kind app-refresh and 10 for the others.
    public var pendingLimits: [TaskKind: Int] {
        get { limits.pending }
        set { limits.pending.merge(newValue) { $1 } }
    }

    /// The number of ends of the process during its task, one after the other, after which a request
    /// is parked. In the last of them its task ran alone.
    public var crashLimit: UInt32 {
        get { limits.crashes }
        set { limits.crashes = newValue }
    }

    /// The maximum number of requests that are kept after they are over.
    public var historyLimit: Int {
        get { limits.historyCount }
        set { limits.historyCount = newValue }
    }

    /// The time for which requests are kept after they are over.
    public var historyDuration: Duration {
        get { Duration(inNanoseconds: limits.historyAge) }
        set { limits.historyAge = newValue.inNanoseconds }
    }

    /// The least time between two launches of a handler; by default none.
    public var spacing: Duration {
        get { Duration(inNanoseconds: rate.spacing) }
        set { rate.spacing = newValue.inNanoseconds }
    }

    /// The time before the next launch of a handler that did not complete its task. It doubles with
    /// each further one in a row, up to 24 h; by default 5 min, and zero means none.
    public var penalty: Duration {
        get { Duration(inNanoseconds: rate.penalty) }
        set { rate.penalty = newValue.inNanoseconds }
    }

    /// The limits of what tasks may use in a day.
    public var dayLimits: DayLimits {
        get { dayBudget.limits }
        set { dayBudget.limits = newValue }
    }

    /// The time that a change of a factor has to last before it counts.
    public var debounce: Duration {
        get { Duration(inNanoseconds: debounceNanoseconds) }
        set { debounceNanoseconds = newValue.inNanoseconds }
    }

    /// The longest throttle interval between launches of requests without a date of one identifier:
    /// a second after the first launch, doubled after each further one, up to this value. Zero means
    /// no throttling; nil means 15 minutes, and no throttling on a manual clock. Throttled are
    /// requests that a handler submits, and those that replace or keep pending ones; those that a
    /// user waits for are not.
    public var longestThrottle: Duration? {
        get { floor.map(Duration.init(inNanoseconds:)) }
        set { floor = newValue?.inNanoseconds }
    }
}
