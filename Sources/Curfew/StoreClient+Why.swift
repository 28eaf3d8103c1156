// SPDX-License-Identifier: Apache-2.0
import Persistence
import PluginBridge
import Runner
package import Scheduling

extension StoreClient {
    /// The factors that only the host knows, in its memory.
    private static let hosts: Set<Factor> = [.launchRate, .place, .dayBudget]

    /// Returns the state of every factor for a request in each host of the store, first in that which may launch it first.
    /// There is one answer, without a host, if none uses the store; the factor `host` says so then. There are no
    /// factors if the request is history.
    ///
    /// `handler` comes from the manifest; nil if no manifest was found. The states of handlers and of the machine,
    /// launch rates and limits come from what a host has written of itself. Without that, the client reads the
    /// machine's factors itself, and factors that only a host knows are reported as `unknown`.
    package func why(
        _ request: Request, _ handler: HandlerState?, at now: Moment
    ) throws(StoreFault) -> [HostAnswer] {
        try answers(at: now) { (host) throws(StoreFault) in
            try why(request, handler, in: host, at: now)
        }
    }

    /// Returns the state of every factor in each host for a request that would be submitted to a queue.
    package func why(
        _ queue: RequestQueue, _ handler: HandlerState?, at now: Moment
    ) throws(StoreFault) -> [HostAnswer] {
        try answers(at: now) { (host) throws(StoreFault) in
            try completed(
                scheduler(queue.identifier, handler, host, at: now).why(queue, at: now),
                queue.identifier, but: nil, handler, host)
        }
    }

    private func answers(
        at now: Moment, _ reports: (HostView?) throws(StoreFault) -> [FactorReport]
    ) throws(StoreFault) -> [HostAnswer] {
        let hosts = try hosts().filter { !$0.isSilent }
        guard !hosts.isEmpty else { return [HostAnswer(host: nil, reports: try reports(nil))] }
        var answers: [HostAnswer] = []
        for host in hosts { answers.append(HostAnswer(host: host, reports: try reports(host))) }
        let ranks = answers.map { answer in
            (
                answer, RequestScheduler.earliest(answer.reports, at: now.wall) ?? .max,
                answer.holding.count
            )
        }
        return ranks.sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
    }

    private func why(
        _ request: Request, _ handler: HandlerState?, in host: HostView?, at now: Moment
    ) throws(StoreFault) -> [FactorReport] {
        let scheduler = try scheduler(request.description.identifier, handler, host, at: now)
        let reports = scheduler.why(request, at: now)
        guard !reports.isEmpty else { return [] }
        return try completed(
            reports, request.description.identifier, but: request.id, handler, host)
    }

    /// Returns the requests that run in a host.
    private func running(
        in host: HostView?, _ store: any StoreTransaction
    ) throws(StoreFault) -> [Request] {
        guard case .server = address, let record = host?.record else { return try store.running() }
        return try store.running(in: record.identity)
    }

    private func scheduler(
        _ identifier: String, _ handler: HandlerState?, _ host: HostView?, at now: Moment
    ) throws(StoreFault) -> RequestScheduler {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        let running = try read { (store) throws(StoreFault) in
            try book.readState(at: now, store)
            return try self.running(in: host, store)
        }
        let report = host?.report
        if let report {
            book.scheduler.places = report.places
            book.scheduler.budget.limits = report.dayLimits
            book.scheduler.drainedSince = report.drainedSince
            book.scheduler.leavingSince = report.leavingSince
            for request in running { book.scheduler.noteRunning(request.id, of: request.queue) }
            if let rate = report.rates[identifier] { book.scheduler.restore(rate, of: identifier) }
        }
        if let report, !report.factors.isEmpty {
            for (factor, entry) in report.factors {
                book.scheduler.board.restore(factor, entry)
            }
        } else {
            var machine = RequestConfiguration()
            machine.readMachine()
            for source in machine.sources {
                for (factor, reading) in source.read() {
                    book.scheduler.board.observe(factor, reading, at: now)
                }
            }
        }
        let known: HandlerState? = report.flatMap {
            $0.handlers[identifier] ?? ($0.isCut ? nil : HandlerState.missing)
        }
        book.setState(known ?? handler ?? HandlerState(), of: identifier)
        return book.scheduler
    }

    private func completed(
        _ reports: [FactorReport], _ identifier: String, but id: RequestID?,
        _ handler: HandlerState?, _ host: HostView?
    ) throws(StoreFault) -> [FactorReport] {
        let report = host?.report
        let state = report?.handlers[identifier] ?? handler
        let most = (state ?? HandlerState()).mostInStore
        let isOurs = { (request: Request) in
            request.description.identifier == identifier && request.id != id
        }
        let (here, everywhere) = try read { (store) throws(StoreFault) in
            (
                try self.running(in: host, store).filter(isOurs).map(\.id),
                most == nil ? [] : try store.running().filter(isOurs).map(\.id)
            )
        }
        let isShared = host?.record.map { $0.lease > 0 } ?? false
        let isRead = report?.factors.isEmpty == false
        let seen = reports.map { factor in
            if factor.factor == .concurrency {
                if isShared, let most, everywhere.count >= most {
                    return Self.concurrency(everywhere, most, " in all hosts of the store")
                }
                let isUnknown =
                    state == nil ? "; its manifest was not found, and may allow more" : ""
                return Self.concurrency(here, state?.places ?? 1, isUnknown)
            }
            if factor.factor == .handler {
                return Self.handler(factor, identifier, handler, report, hasHost: host != nil)
            }
            if report == nil, Self.hosts.contains(factor.factor) {
                return Self.unknown(factor.factor)
            }
            var factor = factor
            // One of several is named.
            if factor.factor == .host, let record = host?.record, record.lease > 0,
                report?.drainedSince != nil
            {
                factor.change = "type `curfew drain \(record.id) --end`"
            }
            // A client does not observe when a state began.
            if factor.factor.isSettable, !isRead { factor.since = nil }
            return factor
        }
        // A host that is drained has been reported already.
        let hosts = seen.contains { $0.factor == .host } ? [] : [Self.report(host?.presence)]
        let all = (seen + hosts).sorted { $0.isBefore($1) }
        // Without a handler nothing else matters.
        let isMissing = { (factor: FactorReport) in factor.factor == .handler && factor.holds }
        return all.filter(isMissing) + all.filter { !isMissing($0) }
    }

    private static func unknown(_ factor: Factor) -> FactorReport {
        FactorReport(
            factor, .unknown, holds: false, source: "host", detail: "only the host knows")
    }

    /// - Parameter factor: the factor as the host's report has it.
    private static func handler(
        _ factor: FactorReport, _ identifier: String, _ handler: HandlerState?,
        _ report: HostReport?, hasHost: Bool
    ) -> FactorReport {
        func missing(_ detail: String, _ change: String) -> FactorReport {
            FactorReport(
                .handler, .no, holds: true, source: hasHost ? "host" : "none", detail: detail,
                change: change)
        }
        // The store alone says that it is quarantined.
        if report == nil, handler?.closed != nil { return factor }
        guard let report, !report.isCut else {
            // The host may have a handler that no manifest declares, and has not said so; for
            // programs no plugin is needed.
            guard handler == nil, !hasHost, identifier != CommandPayload.identifier else {
                return unknown(.handler)
            }
            return missing(
                "no plugin found here has a handler for it",
                "install its plugin, or start the host that registers it")
        }
        if report.handlers[identifier] != nil { return factor }
        if let plugin = report.discovered[identifier] ?? handler?.plugin {
            return missing(
                "the host has not loaded plugin \(plugin), which has the handler",
                "have the host load it")
        }
        if identifier == CommandPayload.identifier {
            return missing(
                "the host does not run programs", "set permitsCommands in its configuration")
        }
        return missing(
            "neither the host nor a plugin found here has a handler for it",
            "install its plugin and have the host load it")
    }

    /// - Parameter note: what is to be said if there is no place.
    private static func concurrency(
        _ running: [RequestID], _ places: Int, _ note: String
    ) -> FactorReport {
        let isFull = running.count >= places
        var detail = "\(running.count) of \(places) at a time run"
        if let first = running.first { detail += ", request \(first) among them" }
        if isFull { detail += note }
        return FactorReport(
            .concurrency, isFull ? .no : .yes, holds: isFull, source: "store", detail: detail,
            change: isFull ? "one of its tasks ends" : "")
    }

    private static func report(_ host: HostPresence?) -> FactorReport {
        guard let host else {
            return FactorReport(
                .host, .no, holds: true, source: "store",
                detail: "no host uses this store, so nothing is launched",
                change: "start one, such as curfew serve")
        }
        return FactorReport(
            .host, .yes, holds: false, source: "store",
            detail: host.process.map { process in
                "process \(process)\(host.machine.isEmpty ? "" : " on \(host.machine)") uses this store"
            } ?? "a host uses this store",
            since: host.since)
    }
}
