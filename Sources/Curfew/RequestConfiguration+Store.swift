// SPDX-License-Identifier: Apache-2.0
import Persistence
public import Runner
import Scheduling
import Surroundings

extension RequestConfiguration {
    /// Lets requests live in a directory, which is made where there is none; what is acknowledged
    /// survives the process and the machine.
    ///
    /// The directory is the store's own: mode 0700, on a local file system, in a directory that is
    /// there. One host uses it at a time; the command line may look, submit and cancel beside it.
    ///
    /// Throws `.system` where the process cannot be told apart from others (no /proc).
    public mutating func store(in directory: String) throws {
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
}
