// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Runner
package import Scheduling

extension StoreClient {
    /// The factors that only the host knows, in its memory.
    private static let hosts: Set<Factor> = [.launchRate, .place, .dayBudget]

    /// Returns what the host that uses the store last wrote about its state; nil if no host uses
    /// it, or the host wrote nothing.
    package func hostReport() throws(StoreFault) -> HostReport? {
        guard try host() != nil else { return nil }
        return try read { (store) throws(StoreFault) in try HostReport(store) }
    }

    /// Returns the state of every factor for a request, with those that delay it first. Empty if
    /// the request is history.
    ///
    /// `handler` comes from the manifest; nil if no manifest was found. `report` is the host's: the
    /// states of handlers and of the machine, launch rates and limits come from it. Without one, the
    /// client reads the machine's factors itself, and factors that only a host knows are reported as
    /// `unknown`. If no host uses the store, the factor `host` says so.
    package func why(
        _ request: Request, _ handler: HandlerState?, _ report: HostReport?, at now: Moment
    ) throws(StoreFault) -> [FactorReport] {
        let scheduler = try scheduler(
            request.description.identifier, handler, report, at: now)
        let reports = scheduler.why(request, at: now)
        guard !reports.isEmpty else { return [] }
        return try completed(
            reports, request.description.identifier, but: request.id, handler, report)
    }

    /// Returns the state of every factor for a request that would be submitted to a queue.
    package func why(
        _ queue: RequestQueue, _ handler: HandlerState?, _ report: HostReport?, at now: Moment
    ) throws(StoreFault) -> [FactorReport] {
        let scheduler = try scheduler(queue.identifier, handler, report, at: now)
        return try completed(
            scheduler.why(queue, at: now), queue.identifier, but: nil, handler, report)
    }

    private func scheduler(
        _ identifier: String, _ handler: HandlerState?, _ report: HostReport?, at now: Moment
    ) throws(StoreFault) -> RequestScheduler {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        let running = try read { (store) throws(StoreFault) in
            try book.readState(at: now, store)
            return try store.running()
        }
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
        _ handler: HandlerState?, _ report: HostReport?
    ) throws(StoreFault) -> [FactorReport] {
        let running = try read { (store) throws(StoreFault) in
            try store.running().filter {
                $0.description.identifier == identifier && $0.id != id
            }
        }
        let host = try host()
        let isRead = report?.factors.isEmpty == false
        let seen = reports.map { factor in
            if factor.factor == .concurrency {
                return Self.concurrency(
                    running.map(\.id), report?.handlers[identifier] ?? handler)
            }
            if factor.factor == .handler {
                return Self.handler(factor, identifier, handler, report, hasHost: host != nil)
            }
            if report == nil, Self.hosts.contains(factor.factor) {
                return Self.unknown(factor.factor)
            }
            var factor = factor
            // A client does not observe when a state began.
            if factor.factor.isSettable, !isRead { factor.since = nil }
            return factor
        }
        // A host that is drained has been reported already.
        let hosts = seen.contains { $0.factor == .host } ? [] : [Self.report(host)]
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

    private static func concurrency(_ running: [RequestID], _ handler: HandlerState?)
        -> FactorReport
    {
        let places = handler?.places ?? 1
        let isFull = running.count >= places
        var detail = "\(running.count) of \(places) at a time run"
        if let first = running.first { detail += ", request \(first) among them" }
        if isFull, handler == nil { detail += "; its manifest was not found, and may allow more" }
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
            detail: host.process.map { "process \($0) uses this store" }
                ?? "a host uses this store",
            since: host.since)
    }
}
