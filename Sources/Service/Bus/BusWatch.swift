// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import CurfewValues
internal import Glibc
import PluginBridge
import Synchronization

/// The thread that listens to the system's bus: it keeps what `BusFactors` knows, and tells when the machine goes
/// to sleep, is shut down, or gets another time zone.
///
/// A call over the bus may take a second, so that nothing else is done by this thread. A bus that is not there or
/// goes away is connected to again; meanwhile nothing of it is known.
package final class BusWatch: @unchecked Sendable {
    // Sendable: `thread` is used by `stop` alone; the rest by the thread, or is locked or constant.

    /// What the thread calls; nothing else of a host is known here.
    package struct Listener: Sendable {
        /// Something that `BusFactors` reads has changed.
        package var changed: @Sendable () -> Void
        /// The machine goes to sleep or is shut down in a moment, or has woken up, or stays.
        package var leaves: @Sendable (Bool) -> Void
        /// Whether no task runs, so that the machine need not wait any longer.
        package var isQuiet: @Sendable () -> Bool
        /// The machine may have another time zone.
        package var zone: @Sendable () -> Void
        /// A text for the log: lower case, no full stop.
        package var log: @Sendable (String) -> Void

        package init(
            changed: @escaping @Sendable () -> Void, leaves: @escaping @Sendable (Bool) -> Void,
            isQuiet: @escaping @Sendable () -> Bool, zone: @escaping @Sendable () -> Void,
            log: @escaping @Sendable (String) -> Void
        ) {
            (self.changed, self.leaves, self.isQuiet) = (changed, leaves, isQuiet)
            (self.zone, self.log) = (zone, log)
        }
    }

    private let library: BusLibrary
    private let factors: BusFactors
    private let listener: Listener
    private let signal = csys_eventfd()
    private let isStopping = Atomic(false)
    private var thread: UInt64 = 0

    private var machine = BusStateMachine()
    private var hasTold = false
    /// The unique names of the services that run.
    private var owners: [String: String] = [:]
    /// Keeps the machine awake for a moment when it is to sleep.
    private var delay: OwnedDescriptor?
    /// Until when the machine waits at most, on CLOCK_MONOTONIC; nil unless it leaves.
    private var waitsUntil: UInt64?
    private var isLeaving = false
    /// The time at which the machine no longer counts as leaving, on CLOCK_MONOTONIC. Set once login1 or the bus has
    /// gone, since then no signal says that the machine stays.
    private var leavesUntil: UInt64?
    /// Services that have not answered, and when they are asked again.
    private var silent: Set<String> = []
    private var asksAt = UInt64.max

    /// Throws without libsystemd.
    package init(_ factors: BusFactors, _ listener: Listener) throws(ServiceManager.Failure) {
        library = try BusLibrary()
        (self.factors, self.listener) = (factors, listener)
    }

    deinit { csys_close(signal) }

    /// Returns false if the system can start no thread.
    package func start() -> Bool {
        ThreadBody.start(
            {
                csys_thread_name("curfew-bus")
                self.run()
            }, 0, &thread)
    }

    /// Ends the thread, within a second or two if a service does not answer.
    package func stop() {
        isStopping.store(true, ordering: .releasing)
        csys_eventfd_signal(signal)
        _ = csys_thread_join_until(thread, .max)
    }

    private var isOver: Bool { isStopping.load(ordering: .acquiring) }

    private func run() {
        while !isOver {
            if let time = machine.opensAt {
                wait(for: nil, until: min(time, leavesUntil ?? .max))
                stay(at: csys_monotonic_ns())
                guard !isOver, csys_monotonic_ns() >= time else { continue }
            }
            do throws(SystemBus.Failure) {
                try listen()
            } catch {
                lost(error)
            }
        }
        // What waits for the end of tasks waits for the end of this host then.
        delay = nil
    }

    /// Listens until the thread is stopped. All matches come first and all reading after, so that no change falls
    /// between.
    private func listen() throws(SystemBus.Failure) {
        let bus = try SystemBus(library)
        try match(bus)
        for name in BusService.names { owners[name] = try bus.owner(of: name) }
        let isNew = !machine.isLive
        machine.opened(at: csys_monotonic_ns())
        if isNew {
            listener.log(
                "the machine's factors are read from the system's bus where a service knows them: "
                    + (owners.isEmpty
                        ? "none of them runs" : owners.keys.sorted().joined(separator: ", ")))
        }
        hasTold = false
        try read(bus, Set(BusService.names), delaysSleep: true)
        while !isOver {
            while !isOver, let message = try bus.next() { try handle(message, bus) }
            letGo()
            stay(at: csys_monotonic_ns())
            if asksAt <= csys_monotonic_ns() {
                asksAt = .max
                try read(bus, silent)
            }
            let (descriptor, time) = try bus.poll()
            let until = min(time, leavesUntil ?? .max, asksAt)
            // Only while the machine waits: nothing tells when the last task is over.
            let look = waitsUntil == nil ? UInt64.max : csys_monotonic_ns() + Self.look
            wait(for: descriptor, until: min(until, look))
        }
    }

    /// The nanoseconds between two looks whether tasks run, while the machine is about to sleep.
    private static let look: UInt64 = 20_000_000

    private func match(_ bus: SystemBus) throws(SystemBus.Failure) {
        for name in BusService.names {
            try bus.match(
                "type='signal',sender='\(SystemBus.driver)',member='NameOwnerChanged',arg0='\(name)'"
            )
        }
        for service in BusService.all {
            try bus.match(
                "type='signal',sender='\(service.name)',path='\(service.path)',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',arg0='\(service.interface)'"
            )
        }
        for member in ["PrepareForSleep", "PrepareForShutdown"] {
            let login = BusService.login
            try bus.match(
                "type='signal',sender='\(login.name)',path='\(login.path)',interface='\(login.interface)',member='\(member)'"
            )
        }
    }

    private func lost(_ failure: SystemBus.Failure) {
        machine.lost(at: csys_monotonic_ns(), leavingOut: Double.random(in: 0...1))
        owners = [:]
        delay = nil
        waitsUntil = nil
        // Once, and not with each attempt.
        if !hasTold {
            hasTold = true
            listener.log(
                "the system's bus cannot be used: \(failure.reason); the machine's factors are read from the kernel until it can"
            )
        }
        if factors.change({ $0 = BusReadings() }) { listener.changed() }
        (silent, asksAt) = ([], .max)
        // In a shutdown the bus may end before this host does.
        if isLeaving { leavesUntil = csys_monotonic_ns() + Self.leaving }
    }

    /// The nanoseconds for which the machine still counts as leaving once login1 or the bus has gone.
    private static let leaving: UInt64 = 60_000_000_000
    /// The nanoseconds before a service that has not answered is asked again.
    private static let pause: UInt64 = 5_000_000_000

    /// Launches requests again once that time has come.
    private func stay(at now: UInt64) {
        if let time = leavesUntil, time <= now { leave(false) }
    }

    // MARK: What the services say

    /// Reads all that the services of these names say.
    private func read(
        _ bus: SystemBus, _ names: Set<String>, delaysSleep: Bool = false
    ) throws(SystemBus.Failure) {
        bus.unanswered = []
        let isPower = names.contains(BusService.power.name)
        let (isOnBattery, battery) = isPower ? try power(bus) : (nil, nil)
        let isProfile =
            names.contains(BusService.profiles.name) || names.contains(BusService.oldProfiles.name)
        let profile = isProfile ? try profile(bus) : nil
        let isNetwork = names.contains(BusService.network.name)
        let connectivity = isNetwork ? try connectivity(bus) : nil
        let isLogin = names.contains(BusService.login.name)
        let idle = isLogin ? try idle(bus) : nil
        if isLogin, delaysSleep {
            delay = runs(.login) ? try bus.delay() : nil
            if isLeaving, leavesUntil == nil { leavesUntil = csys_monotonic_ns() + Self.leaving }
        }
        noteUnanswered(bus.unanswered, of: names)
        let isChanged = factors.change { readings in
            if isPower { (readings.isOnBattery, readings.battery) = (isOnBattery, battery) }
            if isProfile { readings.profile = profile }
            if isNetwork { readings.connectivity = connectivity }
            if isLogin { readings.idle = idle }
        }
        if isChanged { listener.changed() }
    }

    /// Has services asked again that have not answered; tells once of each.
    private func noteUnanswered(_ missing: Set<String>, of asked: Set<String>) {
        let new = missing.subtracting(silent)
        silent = silent.subtracting(asked).union(missing)
        if !new.isEmpty {
            listener.log(
                "\(new.sorted().joined(separator: ", ")) does not answer, and is asked again; the kernel tells meanwhile"
            )
        }
        if !silent.isEmpty { asksAt = csys_monotonic_ns() + Self.pause }
    }

    private func runs(_ service: BusService) -> Bool { owners[service.name] != nil }

    private func power(
        _ bus: SystemBus
    ) throws(SystemBus.Failure) -> (isOnBattery: Bool?, battery: BusReadings.Battery?) {
        guard runs(.power) else { return (nil, nil) }
        let isOnBattery = try bus.flag("OnBattery", of: .power)
        guard try bus.flag("IsPresent", of: .battery) == true,
            let state = try bus.number("State", of: .battery),
            let charge = try bus.real("Percentage", of: .battery)
        else { return (isOnBattery, nil) }
        let warning = try bus.number("WarningLevel", of: .battery) ?? 0
        return (isOnBattery, BusReadings.Battery(state: state, charge: charge, warning: warning))
    }

    private func profile(_ bus: SystemBus) throws(SystemBus.Failure) -> BusReadings.Profile? {
        for service in [BusService.profiles, .oldProfiles] where runs(service) {
            guard let name = try bus.text("ActiveProfile", of: service) else { continue }
            return BusReadings.Profile(rawValue: name)
        }
        return nil
    }

    private func connectivity(
        _ bus: SystemBus
    ) throws(SystemBus.Failure) -> BusReadings.Connectivity? {
        guard runs(.network) else { return nil }
        return try bus.number("Connectivity", of: .network).flatMap(
            BusReadings.Connectivity.init(rawValue:))
    }

    private func idle(_ bus: SystemBus) throws(SystemBus.Failure) -> BusReadings.Idle? {
        guard runs(.login), let isIdle = try bus.flag("IdleHint", of: .login) else { return nil }
        guard isIdle else { return .used }
        let since = try bus.large("IdleSinceHint", of: .login) ?? 0
        return .since(since == 0 ? nil : Int64(clamping: since.multiplied(by: 1_000)))
    }

    // MARK: What they tell

    private func handle(
        _ message: SystemBus.Signal, _ bus: SystemBus
    ) throws(SystemBus.Failure) {
        if message.sender == SystemBus.driver {
            // Name, old owner, new owner.
            guard message.member == "NameOwnerChanged", message.texts.count == 3,
                BusService.names.contains(message.texts[0])
            else { return }
            let name = message.texts[0]
            owners[name] = message.texts[2].isEmpty ? nil : message.texts[2]
            return try read(bus, [name], delaysSleep: true)
        }
        // Any peer can send a signal to this one alone that looks as if it were of a service.
        let senders = owners.filter { $0.value == message.sender }.keys
        guard !senders.isEmpty else { return }
        if message.interface == BusService.login.interface {
            guard senders.contains(BusService.login.name), let begins = message.flag,
                ["PrepareForSleep", "PrepareForShutdown"].contains(message.member)
            else { return }
            return try prepare(begins, bus)
        }
        if message.path == BusService.zone.path {
            if senders.contains(BusService.zone.name) { listener.zone() }
            return
        }
        try read(bus, Set(senders))
    }

    private func prepare(_ begins: Bool, _ bus: SystemBus) throws(SystemBus.Failure) {
        guard begins else {
            waitsUntil = nil
            leave(false)
            if delay == nil { delay = try bus.delay() }
            return
        }
        leave(true)
        let most = try bus.large("InhibitDelayMaxUSec", of: .login) ?? 5_000_000
        // A second before login1 does not wait any longer.
        let wait = max(most, 1_500_000) - 1_000_000
        waitsUntil = csys_monotonic_ns().sum(wait.multiplied(by: 1_000))
    }

    private func leave(_ leaves: Bool) {
        leavesUntil = nil
        guard leaves != isLeaving else { return }
        isLeaving = leaves
        listener.leaves(leaves)
    }

    /// Lets the machine sleep once no task runs, or the time to wait is over.
    private func letGo() {
        guard let time = waitsUntil, csys_monotonic_ns() >= time || listener.isQuiet() else {
            return
        }
        waitsUntil = nil
        delay = nil
    }

    // MARK: Waiting

    /// Waits for the bus, for `stop`, or until a time on CLOCK_MONOTONIC in nanoseconds.
    private func wait(for bus: pollfd?, until time: UInt64) {
        var descriptors = [pollfd(fd: signal, events: Int16(POLLIN), revents: 0)]
        if let bus { descriptors.append(bus) }
        let now = csys_monotonic_ns()
        let left = time > now ? time - now : 0
        // Rounded up, so that the wait does not end too early.
        let limit = time == .max ? -1 : Int32(clamping: (left + 999_999) / 1_000_000)
        _ = poll(&descriptors, nfds_t(descriptors.count), limit)
    }
}

extension UInt64 {
    /// The product, at most the largest number.
    fileprivate func multiplied(by other: UInt64) -> UInt64 {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        return isOver ? .max : product
    }

    /// The sum, at most the largest number.
    fileprivate func sum(_ other: UInt64) -> UInt64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}
