// SPDX-License-Identifier: Apache-2.0
import Runner
package import Scheduling

extension StoreClient {
    /// The factors that only the host knows, in its memory.
    private static let hosts: Set<Factor> = [.handler, .launchRate, .place, .dayBudget]

    /// Returns the state of every factor for a request, with those that delay it first. Empty if
    /// the request is history.
    ///
    /// `handler` comes from the manifest; nil if no manifest was found. The client reads the
    /// machine's factors itself, and reports those that only the host knows as `unknown`. If no
    /// host uses the store, the factor `host` says so.
    package func why(
        _ request: Request, _ handler: HandlerState?, at now: Moment
    ) throws(StoreFault) -> [FactorReport] {
        let scheduler = try scheduler(request.description.identifier, handler, at: now)
        let reports = scheduler.why(request, at: now)
        guard !reports.isEmpty else { return [] }
        return try completed(
            reports, request.description.identifier, but: request.id, handler)
    }

    /// Returns the state of every factor for a request that would be submitted to a queue.
    package func why(
        _ queue: RequestQueue, _ handler: HandlerState?, at now: Moment
    ) throws(StoreFault) -> [FactorReport] {
        let scheduler = try scheduler(queue.identifier, handler, at: now)
        return try completed(
            scheduler.why(queue, at: now), queue.identifier, but: nil, handler)
    }

    private func scheduler(
        _ identifier: String, _ handler: HandlerState?, at now: Moment
    ) throws(StoreFault) -> RequestScheduler {
        var book = RequestBook(host: HostIdentity(boot: "", process: 0, start: 0))
        try read { (store) throws(StoreFault) in try book.readState(at: now, store) }
        var machine = RequestConfiguration()
        machine.readMachine()
        for source in machine.sources {
            for (factor, reading) in source.read() {
                book.scheduler.board.observe(factor, reading, at: now)
            }
        }
        book.setState(
            handler ?? HandlerState(), of: identifier)
        return book.scheduler
    }

    private func completed(
        _ reports: [FactorReport], _ identifier: String, but id: RequestID?,
        _ handler: HandlerState?
    ) throws(StoreFault) -> [FactorReport] {
        let running = try read { (store) throws(StoreFault) in
            try store.running().filter {
                $0.description.identifier == identifier && $0.id != id
            }
        }
        let host = try host()
        let seen = reports.map { report in
            if report.factor == .concurrency { return Self.concurrency(running.map(\.id), handler) }
            guard Self.hosts.contains(report.factor) else {
                var report = report
                // The client did not observe when the state began.
                if report.factor.isSettable { report.since = nil }
                return report
            }
            return FactorReport(
                report.factor, .unknown, holds: false, source: "host",
                detail: "only the host knows")
        }
        return (seen + [Self.report(host)]).sorted { $0.isBefore($1) }
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
                change: "start a program that has it as its store")
        }
        return FactorReport(
            .host, .yes, holds: false, source: "store",
            detail: host.process.map { "process \($0) uses this store" }
                ?? "a host uses this store",
            since: host.since)
    }
}
