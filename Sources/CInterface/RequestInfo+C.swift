import CCurfew
// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import Runner
import Scheduling

extension curfew_attempt {
    init(_ attempt: Attempt) {
        self.init()
        self.attempt = attempt.number
        launch = attempt.launch
        started_ns = attempt.startedAt
        ended_ns = attempt.endedAt ?? 0
        outcome = Int32(attempt.outcome?.rawValue ?? 0)
        reason = Int32(attempt.reason?.rawValue ?? 0)
        process = attempt.host.process
        StructArray.put(attempt.error, &error)
        error_bytes = withUnsafeBytes(of: &error) { UInt32($0.firstIndex(of: 0) ?? 0) }
        put(attempt.record)
    }

    private mutating func put(_ record: AttemptRecord) {
        exit_status = record.exit.map { max(-1, $0) } ?? -1
        exit_signal = record.exit.map { max(0, 0 &- $0) } ?? 0
        cpu_ns = record.processorTime
        if let usage = record.usage {
            user_ns = usage.user
            system_ns = usage.system
            memory_bytes = usage.memory
            read_bytes = usage.read
            written_bytes = usage.written
        }
        progress = record.progress ?? -1
        log_dropped = record.log.dropped
        result_bytes = record.resultBytes
        StructArray.put(record.progressText, &progress_text)
    }
}

extension curfew_store_host {
    init(_ host: StoreHost) {
        self.init()
        phase = host.phase.rawValue
        id = UInt64(clamping: host.record.id)
        since_ns = host.record.since
        lease_ns = host.record.lease
        silence_ns = host.record.silence ?? 0
        // Requests in memory name no process.
        process = host.isOwn ? getpid() : host.record.identity.process
        running = UInt32(clamping: host.running.count)
        own = host.isOwn
        StructArray.put(host.record.machine, &machine)
        StructArray.put(host.record.release, &version)
    }
}

extension curfew_journal_entry {
    init(_ entry: JournalEntry) {
        self.init()
        sequence = entry.sequence
        at_ns = entry.at
        request = entry.request?.rawValue ?? 0
        launch = entry.launch
        StructArray.put(entry.what.name, &what)
        StructArray.put(entry.identifier, &identifier)
        StructArray.put(entry.detail, &detail)
    }
}

extension curfew_factor_report {
    /// Creates a report on a factor of the machine, independent of a request.
    init(_ asked: Factor, _ entry: FactorBoard.Entry?) {
        self.init()
        factor = Int32(asked.rawValue)
        value = Int32((entry?.reading.state ?? .unknown).rawValue)
        since_ns = entry?.since ?? 0
        StructArray.put(asked.name, &name)
        StructArray.put(entry?.reading.source ?? "", &source)
        StructArray.put(entry?.reading.detail ?? "no source has reported it", &detail)
    }

    init(_ report: FactorReport) {
        self.init()
        factor = Int32(report.factor.rawValue)
        value = Int32(report.state.rawValue)
        holds = report.holds
        since_ns = report.since ?? 0
        until_ns = report.until ?? 0
        StructArray.put(report.factor.name, &name)
        StructArray.put(report.source, &source)
        StructArray.put(report.detail, &detail)
        StructArray.put(report.change, &change)
    }
}
