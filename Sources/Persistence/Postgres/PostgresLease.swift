// SPDX-License-Identifier: Apache-2.0
internal import CSystem
internal import CurfewValues
internal import Glibc
package import Scheduling

/// Keeps a host in its store on a server, by a connection and a thread of its own: the thread of the requests may
/// wait for a commit as long as that takes.
///
/// It raises the host's beat a few times within its lease, and watches those of the others. It also looks whether
/// others have written: at once when they say so, and each second, because notices may be lost.
package final class PostgresLease: HostLease {
    private let address: PostgresAddress
    private let clock: PostgresClock
    private let state = Locked(State())
    /// Signalled to wake the thread.
    private let wake = csys_eventfd()
    /// Signalled to wake the host.
    package let descriptor = csys_eventfd()

    private struct State {
        var host: HostRecord?
        var isEnded = false
        var wakesOthers = false
    }

    /// Nanoseconds between two looks without a notice.
    private static let lookInterval: UInt64 = 1_000_000_000
    /// Nanoseconds between two notices to others.
    private static let noticeInterval: UInt64 = 10_000_000
    /// Nanoseconds that a server may take that is only slow.
    private static let leastWait: UInt64 = 1_000_000_000
    /// Nanoseconds before another connection is tried.
    private static let retryInterval: UInt64 = 1_000_000_000

    /// - Parameter clock: gets the time of the server.
    package init(_ address: PostgresAddress, clock: PostgresClock = PostgresClock()) {
        self.address = address
        self.clock = clock
    }

    deinit {
        csys_close(wake)
        csys_close(descriptor)
    }

    // MARK: From other threads

    package func begin(_ host: HostRecord) {
        state.withLock { $0.host = host }
        csys_eventfd_signal(wake)
    }

    package func end() {
        state.withLock { $0.isEnded = true }
        csys_eventfd_signal(wake)
    }

    package func wakeOthers() {
        let isFirst = state.withLock { state in
            defer { state.wakesOthers = true }
            return !state.wakesOthers
        }
        if isFirst { csys_eventfd_signal(wake) }
    }

    // MARK: On its thread

    /// What the thread knows.
    private struct Round {
        var connection: PostgresConnection?
        var host: HostRecord?
        var watch = HostWatch()
        var nextBeat: UInt64 = 0
        var nextLook: UInt64 = 0
        var nextNotice: UInt64 = 0
        var nextTry: UInt64 = 0
        /// Until then nobody takes this host for dead, on CLOCK_BOOTTIME.
        var trustedUntil: UInt64 = 0
        /// The host was told that this comes to its end.
        var isLapsing = false
        var hasLapsed = false

        var lastTurn: Int64?
        /// What the host was told last.
        var isDrained = false

        /// The time at which it is told that its lease comes to its end: a beat was late for a while, and at most a
        /// third of the lease is left.
        func lapsesAt(_ host: HostRecord) -> UInt64 {
            let beat = host.lease / HostWatch.beatsPerLease
            let late = PostgresLease.trust(host) - min(PostgresLease.trust(host), beat)
            return trustedUntil - min(trustedUntil, host.lease / 3, late / 2)
        }
    }

    package func keep(_ tell: @escaping (HostLeaseNews) -> Void) {
        var round = Round()
        while true {
            csys_eventfd_drain(wake)
            let (host, isEnded) = state.withLock { ($0.host, $0.isEnded) }
            if isEnded { return }
            let now = csys_boottime_ns()
            if host?.id != round.host?.id {
                round.host = host
                round.watch = HostWatch()
                round.isDrained = host?.isDrained ?? false
                round.nextBeat = now
                // It has just written its row.
                round.trustedUntil = now + (host.map(Self.trust) ?? 0)
                renew(&round, tell)
            }
            // One with a connection may only have been stopped: then a beat says whether others have noticed.
            if round.connection == nil { lapse(&round, tell) }
            var isRefused = false
            do throws(StoreFault) {
                try pass(&round, at: now, tell)
            } catch {
                round.connection = nil
                round.watch.broke()
                // The next connection begins with a beat.
                round.nextBeat = 0
                round.nextTry = csys_boottime_ns() + Self.retryInterval
                isRefused = error.kind != .unreachable
            }
            lapse(&round, tell)
            if isRefused, round.hasLapsed { tell(.refused) }
            rest(round)
        }
    }

    private func renew(_ round: inout Round, _ tell: (HostLeaseNews) -> Void) {
        guard round.isLapsing || round.hasLapsed else { return }
        (round.isLapsing, round.hasLapsed) = (false, false)
        tell(.renewed)
    }

    /// Says so if others may take this host for dead, or soon may.
    private func lapse(_ round: inout Round, _ tell: (HostLeaseNews) -> Void) {
        guard let host = round.host, host.lease > 0 else { return }
        let now = csys_boottime_ns()
        if !round.isLapsing, now >= round.lapsesAt(host) {
            round.isLapsing = true
            tell(.lapsing(round.trustedUntil))
        }
        if !round.hasLapsed, now >= round.trustedUntil {
            round.hasLapsed = true
            tell(.lapsed)
        }
    }

    /// Returns the time on the clock of spans until which the thread may wait for the server: it has to say in time
    /// that the lease comes to its end.
    private static func deadline(_ round: Round) -> UInt64 {
        guard let host = round.host, host.lease > 0 else { return .max }
        let (now, span) = (csys_boottime_ns(), csys_monotonic_ns())
        if round.hasLapsed { return span + host.lease }
        let next = round.isLapsing ? round.trustedUntil : round.lapsesAt(host)
        guard now < next else { return span + leastWait }
        let left = next - now
        // Half of it, since another connection may get through.
        return span + max(left / 2, min(left, leastWait))
    }

    /// How long after the sending of a beat a host may trust that it lives for the others.
    fileprivate static func trust(_ host: HostRecord) -> UInt64 {
        host.lease - min(host.lease, max(1_000_000_000, host.lease / 10))
    }

    private func pass(
        _ round: inout Round, at now: UInt64, _ tell: (HostLeaseNews) -> Void
    ) throws(StoreFault) {
        if round.connection == nil {
            guard round.nextTry <= now else { return }
            let connection = try PostgresConnection.open(address, until: Self.deadline(round))
            if !address.isPooled { try connection.listen(to: address.schema) }
            round.connection = connection
            // Whatever has happened, the host looks: its own connection may be lost, too.
            round.nextLook = 0
            round.lastTurn = nil
        }
        let connection = round.connection!
        connection.deadline = Self.deadline(round)
        let notices = address.isPooled ? [] : try connection.notices()
        if !notices.isEmpty { csys_eventfd_signal(descriptor) }
        if notices.contains(.hosts) { round.nextLook = 0 }
        if let host = round.host, host.lease > 0, round.nextBeat <= now {
            try beat(host, &round, connection, tell)
        }
        connection.deadline = Self.deadline(round)
        if round.nextLook <= now {
            round.nextLook = now + Self.lookInterval
            let asked = csys_monotonic_ns()
            let answer = try inTurn(connection) { () throws(StoreFault) in
                try connection.send(.poll) { $0.put(round.host?.id ?? 0) }
            }
            clock.observe(answer[0].integer(2), from: asked, to: csys_monotonic_ns())
            let turn = answer[0].integer(0)
            if turn != round.lastTurn { csys_eventfd_signal(descriptor) }
            round.lastTurn = turn
            if !answer[0].isNull(1), (answer[0].text(1) == "t") != round.isDrained {
                round.isDrained.toggle()
                tell(.drained(round.isDrained))
            }
        }
        guard round.nextNotice <= now,
            state.withLock({ state in
                defer { state.wakesOthers = false }
                return state.wakesOthers
            })
        else { return }
        round.nextNotice = now + Self.noticeInterval
        connection.deadline = Self.deadline(round)
        _ = try inTurn(connection) { () throws(StoreFault) in
            try connection.send(.notify) {
                $0.put(address.schema)
                $0.put(PostgresNotice.requests.rawValue)
            }
        }
    }

    private func beat(
        _ host: HostRecord, _ round: inout Round, _ connection: PostgresConnection,
        _ tell: (HostLeaseNews) -> Void
    ) throws(StoreFault) {
        // Measured before it is sent, since it may be under way for long.
        let sent = csys_boottime_ns()
        round.nextBeat = sent + host.lease / HostWatch.beatsPerLease
        var beat: PostgresAnswer?
        let answer = try inTurn(connection) { () throws(StoreFault) in
            beat = try connection.send(.beat) { $0.put(host.id) }
            return try connection.send(.hosts)
        }
        guard beat?.changes == 1 else {
            // The thread of the requests tells the tasks, and enters anew.
            round.trustedUntil = 0
            (round.isLapsing, round.hasLapsed) = (true, true)
            tell(.lost)
            return
        }
        round.trustedUntil = sent + Self.trust(host)
        renew(&round, tell)
        var hosts: [HostRecord] = []
        for row in answer.rows { hosts.append(try HostRow.host(at: row, in: address.text)) }
        for dead in round.watch.observe(hosts, by: host, at: csys_boottime_ns()) {
            tell(.dead(dead))
        }
    }

    /// A pooler gives each transaction another connection, so that one has all that belongs together.
    private func inTurn(
        _ connection: PostgresConnection, _ send: () throws(StoreFault) -> PostgresAnswer
    ) throws(StoreFault) -> PostgresAnswer {
        if address.isPooled {
            try connection.send(.begin)
            try connection.send(.turnSettings) { $0.put(address.schema) }
        }
        let answer = try send()
        if address.isPooled { try connection.send(.commit) }
        try connection.sync()
        return answer
    }

    private func rest(_ round: Round) {
        var next = round.connection == nil ? round.nextTry : round.nextLook
        if let host = round.host, host.lease > 0 {
            if round.connection != nil { next = min(next, round.nextBeat) }
            if !round.hasLapsed {
                next = min(next, round.isLapsing ? round.trustedUntil : round.lapsesAt(host))
            }
        }
        if state.withLock({ $0.wakesOthers }), round.connection != nil {
            next = min(next, round.nextNotice)
        }
        let now = csys_boottime_ns()
        guard next > now else { return }
        let descriptors = [wake, round.connection?.socket ?? -1]
        csys_wait_any_readable(
            descriptors, Int32(descriptors.count), csys_monotonic_ns() + (next - now))
    }
}
