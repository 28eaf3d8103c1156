// SPDX-License-Identifier: Apache-2.0
import Persistence
public import Runner
public import Scheduling
import Surroundings

extension RequestConfiguration {
    /// Lets requests live in a directory, which is made where there is none; what is acknowledged
    /// survives the process and the machine.
    ///
    /// The directory is the store's own: mode 0700, on a local file system, in a directory that is
    /// there. One host uses it at a time; the command line may look, submit and cancel beside it.
    ///
    /// Throws `.system` where the process cannot be told apart from others (no /proc).
    public mutating func store(in directory: String) throws(CurfewError) {
        let identity: HostIdentity
        do throws(StoreFault) {
            identity = try HostIdentity.current()
        } catch {
            throw CurfewError(error.status, error.message)
        }
        host = identity
        openStore = { () throws(StoreFault) in
            let store = try SQLiteStore.open(directory: directory, as: .host(identity))
            try SQLiteStore.touchWake(directory: directory)
            return store
        }
        checkStore = { () throws(StoreFault) in try SQLiteStore.quickCheck(directory: directory) }
        wakeFile = SQLiteStore.wakeFile(of: directory)
    }

    /// Lets the kernel say how the machine is: power, battery, heat, network, load, who is there.
    public mutating func readMachine() {
        sources = [
            PowerSupplySource(), PowerProfileSource(), ThermalSource(), NetworkSource(),
            PressureSource(), IdleSource(), FirstUnlockSource(),
        ]
    }

    // MARK: Limits and times

    /// What tasks may spend in a day.
    public var dayLimits: DayLimits {
        get { dayBudget.limits }
        set { dayBudget.limits = newValue }
    }

    /// The time that a change of a factor has to last before it counts.
    public var debounce: Duration {
        get { Duration(inNanoseconds: patience) }
        set { patience = newValue.inNanoseconds }
    }

    /// The longest pause before a request without a date, of an identifier of which such requests were
    /// launched lately: a second after the first launch, twice that after each further one, up to
    /// this. Zero for none; nil for 15 minutes, and none on a manual clock. Requests that are added to
    /// pending ones, and those that a user waits for, have no such pause.
    public var longestLaunchPause: Duration? {
        get { floor.map(Duration.init(inNanoseconds:)) }
        set { floor = newValue?.inNanoseconds }
    }

    /// The time between two looks at the machine, while anything depends on it.
    public var machineInterval: Duration {
        get { Duration(inNanoseconds: sourceInterval) }
        set { sourceInterval = newValue.inNanoseconds }
    }

    /// The time between two looks at whether other processes have written into the store.
    public var storeInterval: Duration {
        get { Duration(inNanoseconds: storeLookInterval) }
        set { storeLookInterval = newValue.inNanoseconds }
    }
}

extension RequestLimits {
    /// The time for which requests that are over are kept.
    public var historyDuration: Duration {
        get { Duration(inNanoseconds: historyAge) }
        set { historyAge = newValue.inNanoseconds }
    }
}
