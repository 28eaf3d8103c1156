// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// Compares what harnesses were told with what their store has in the end: what went in must come
/// out, once.
///
/// A request is known by its key. Lost: it was acknowledged, and is not there, or not over though
/// nothing waits any more. Doubled: one key became two requests, or one launch has two ends that
/// count. Unexpected: nobody asked for it.
struct HistoryCheck {
    /// What is wrong, for people.
    private(set) var faults: [String] = []
    private let records: [Record]
    private let store: StoreContents
    private var byKey: [String: Request] = [:]

    /// - Parameters:
    ///   - records: of all harnesses that used the store, in their order.
    ///   - isDrained: the last one let everything end.
    init(_ records: [Record], _ store: StoreContents, isDrained: Bool = true) {
        self.records = records
        self.store = store
        faults += store.damage
        findDoubled()
        for record in records { check(record) }
        checkJournal()
        for request in store.requests { checkAttempts(of: request) }
        if isDrained { findUnended() }
    }

    private mutating func wrong(_ text: String) { faults.append(text) }

    // MARK: What went in

    private mutating func findDoubled() {
        let asked = Set(records.filter { $0.kind == "ask" }.map { $0[0] })
        for request in store.requests {
            guard let key = request.description.key, asked.contains(key) else {
                wrong("unexpected: request \(request.id), which nobody asked for")
                continue
            }
            if let other = byKey.updateValue(request, forKey: key) {
                wrong("doubled: \(key) is both request \(other.id) and request \(request.id)")
            }
        }
    }

    private mutating func check(_ record: Record) {
        let key = record[0]
        switch record.kind {
        case "ack":
            guard let request = byKey[key] else {
                wrong("lost: \(key) was acknowledged as request \(record[1])")
                return
            }
            if record[1] != "\(request.id)" {
                wrong("doubled: \(key) was acknowledged as \(record[1]), and is \(request.id)")
            }
            for id in record[3].split(separator: ",") {
                let state = UInt64(id).flatMap { id in
                    store.requests.first { $0.id == RequestID(rawValue: id) }?.state
                }
                if state != .replaced {
                    wrong("request \(id) was said to be replaced and is \(state?.name ?? "lost")")
                }
            }
        case "cancelled":
            if byKey[key]?.state != .cancelled {
                wrong("\(key) was cancelled and is \(byKey[key]?.state.name ?? "lost")")
            }
        case "done" where record[1] == "true":
            if byKey[key]?.state != .finished || byKey[key]?.outcome != .succeeded {
                wrong("\(key) was told to be done and is \(byKey[key]?.state.name ?? "lost")")
            }
        case "run":
            if byKey[key] == nil { wrong("unexpected: \(key) ran, and is not in the store") }
        default: break
        }
    }

    // MARK: What came out

    /// Numbers without a gap, and for each request: launches one after the other, one end for each,
    /// and nothing after its own end.
    private mutating func checkJournal() {
        var number: UInt64 = 0
        var launches: [RequestID: UInt64] = [:]
        var ends: [RequestID: UInt64] = [:]
        var over: Set<RequestID> = []
        for entry in store.journal {
            if entry.what == .gap {
                number = entry.sequence
            } else {
                number += 1
                if entry.sequence != number {
                    wrong("the journal has \(entry.sequence) where \(number) is due")
                    number = entry.sequence
                }
            }
            guard let id = entry.request else { continue }
            switch entry.what {
            case .launched:
                if over.contains(id) { wrong("request \(id) was launched after its end") }
                if entry.launch != launches[id, default: 0] + 1 {
                    wrong("request \(id): launch \(entry.launch) after \(launches[id] ?? 0)")
                }
                launches[id] = entry.launch
            case .ended:
                if entry.launch != launches[id] || ends[id, default: 0] >= entry.launch {
                    wrong("doubled: an end of launch \(entry.launch) of request \(id)")
                }
                ends[id] = entry.launch
            case .finished, .cancelled, .replaced, .missed:
                if !over.insert(id).inserted { wrong("doubled: request \(id) ended twice") }
            default: break
            }
        }
    }

    private mutating func checkAttempts(of request: Request) {
        let attempts = store.attempts[request.id] ?? []
        if attempts.map(\.launch) != (0..<request.launches).map({ $0 + 1 }) {
            wrong("request \(request.id) has launches \(attempts.map(\.launch))")
        }
        for attempt in attempts where attempt.outcome == nil {
            if request.state != .running || attempt.launch != request.launches {
                wrong("launch \(attempt.launch) of request \(request.id) has no end")
            }
        }
        let succeeded = attempts.count { $0.outcome == .succeeded }
        if succeeded > 1 { wrong("doubled: request \(request.id) succeeded \(succeeded) times") }
    }

    /// What was taken in is launched to its end, or is over some other way.
    private mutating func findUnended() {
        let entered = Set(records.filter { $0.kind == "run" }.map { $0[0] })
        for request in store.requests {
            let key = request.description.key ?? ""
            switch request.state {
            case .pending, .running: wrong("lost: \(key) is \(request.state.name) for good")
            case .finished where request.outcome == .interrupted:
                wrong("lost: \(key) was interrupted, and not launched again")
            case .finished:
                if !entered.contains(key) { wrong("lost: \(key) is finished and never ran") }
            case .parked, .cancelled, .replaced, .missed: break
            }
        }
    }
}
