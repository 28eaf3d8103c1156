// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Runner
import Scheduling

/// Writes structs of the requests' interface into the caller's.

/// Copies a text into an array of a struct, cut between two characters, with NUL at its end.
private func put<Array>(_ text: String, _ array: inout Array) {
    withUnsafeMutableBytes(of: &array) { target in
        var used = 0
        for scalar in text.unicodeScalars where scalar.value != 0 {
            let bytes = UTF8.encode(scalar).map(Swift.Array.init) ?? []
            guard used + bytes.count < target.count else { break }
            for byte in bytes {
                target[used] = byte
                used += 1
            }
        }
        target[used] = 0
    }
}

/// Fills an array of the caller's, whose elements are as far apart as the first one says. Nil where
/// that cannot be.
func fill<Source, Target>(
    _ target: UnsafeMutablePointer<Target>, _ capacity: UInt32, _ sources: [Source],
    _ convert: (Source) -> Target
) -> UInt32? {
    guard capacity > 0 else { return 0 }
    guard hasRoom(target, 8) else { return nil }
    let size = sizeOf(target)
    guard size <= 4_096, size % 8 == 0 else { return nil }
    var count: UInt32 = 0
    for source in sources.prefix(Int(capacity)) {
        let place = UnsafeMutableRawPointer(target).advanced(by: Int(count) * Int(size))
            .assumingMemoryBound(to: Target.self)
        StructCopy.write(convert(source), to: place, size: size)
        place.withMemoryRebound(to: UInt32.self, capacity: 1) { $0.pointee = size }
        count += 1
    }
    return count
}

extension curfew_request_info {
    init(_ request: Request) {
        self.init()
        let description = request.description
        kind = description.kind.rawValue
        self.request = request.id.rawValue
        state = Int32(request.state.rawValue)
        pending_reason = Int32(request.reason.rawValue)
        needs = UInt32(description.needs.rawValue)
        priority = Int32(description.priority.rawValue)
        submitted_ns = request.submittedAt
        not_before_ns = request.notBefore
        latest_ns = description.latest ?? 0
        changed_ns = request.changedAt
        launches = request.launches
        attempts = request.attempts
        attempt_limit = description.retry.attempts
        crashes = request.crashes
        outcome = Int32(request.outcome?.rawValue ?? 0)
        payload_bytes = UInt64(request.payloadBytes)
        is_repeated = description.repetition != nil
        put(description.identifier, &identifier)
        put(description.key ?? "", &key)
        switch description.repetition?.rule {
        case .every(let interval): every_ns = interval
        case .cron(let schedule, _): put(schedule.text, &cron)
        case nil: break
        }
    }
}

extension curfew_attempt_info {
    init(_ attempt: Attempt) {
        self.init()
        self.attempt = attempt.number
        launch = attempt.launch
        started_ns = attempt.startedAt
        ended_ns = attempt.endedAt ?? 0
        outcome = Int32(attempt.outcome?.rawValue ?? 0)
        reason = Int32(attempt.reason?.rawValue ?? 0)
        process = attempt.host.process
        put(attempt.error, &error)
        error_bytes = withUnsafeBytes(of: &error) { UInt32($0.firstIndex(of: 0) ?? 0) }
    }
}

extension curfew_journal_entry {
    init(_ entry: JournalEntry) {
        self.init()
        sequence = entry.sequence
        at_ns = entry.at
        request = entry.request?.rawValue ?? 0
        launch = entry.launch
        put(entry.what.name, &what)
        put(entry.identifier, &identifier)
        put(entry.detail, &detail)
    }
}

extension curfew_factor_report {
    init(_ report: FactorReport) {
        self.init()
        factor = Int32(report.factor.rawValue)
        state = Int32(report.state.rawValue)
        holds = report.holds
        since_ns = report.since ?? 0
        until_ns = report.until ?? 0
        put(report.factor.name, &name)
        put(report.source, &source)
        put(report.detail, &detail)
        put(report.change, &change)
    }
}
