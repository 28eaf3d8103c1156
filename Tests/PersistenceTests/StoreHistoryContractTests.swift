// SPDX-License-Identifier: Apache-2.0
import Persistence
import Scheduling
import Testing

@Suite("What every store does: history")
struct StoreHistoryContractTests {
    @Test("attempts are kept by launch, and written again", arguments: TestedStore.allCases)
    func attempts(_ kind: TestedStore) throws {
        let store = try kind.make()
        let id = try store.insert(sample()).id
        var attempts = [3, 1, 2].map { launch in
            Attempt(
                request: id, launch: launch, number: UInt32(launch),
                host: HostIdentity(boot: "b", process: 4, start: .max), startedAt: 10)
        }
        attempts[1].endedAt = 11
        attempts[1].outcome = .expired
        attempts[1].reason = .budget
        attempts[1].error = "too late"
        try store.write { store throws in
            for var attempt in attempts {
                try store.put(attempt)
                attempt.error += "!"
                try store.put(attempt)
            }
            try store.put(
                Attempt(
                    request: RequestID(rawValue: 9), launch: 1, number: 1, host: OpenStore.host,
                    startedAt: 1))
        }
        for index in attempts.indices { attempts[index].error += "!" }
        try store.reopen()
        try store.read { store throws in
            let sorted = attempts.sorted { $0.launch < $1.launch }
            #expect(try store.attempts(of: id, limit: .max) == sorted)
            #expect(try store.attempts(of: id, limit: 2) == Array(sorted.suffix(2)))
            #expect(try store.attempts(of: id, limit: 0) == [])
            #expect(try store.attempt(1, of: id) == sorted[0])
            #expect(try store.attempt(4, of: id) == nil)
            #expect(try store.attempts(of: RequestID(rawValue: 9), limit: 5) == [])
        }
    }

    @Test("the record of an attempt is kept with its end", arguments: TestedStore.allCases)
    func records(_ kind: TestedStore) throws {
        let store = try kind.make()
        let id = try store.insert(sample()).id
        var record = AttemptRecord()
        for number in 0..<60 { record.log.add("line \(number)") }
        Array("a\nb".utf8).withUnsafeBytes { record.setResult($0) }
        record.setProgress(0.5, "half")
        record.processorTime = 7
        var usage = CommandUsage()
        (usage.user, usage.system, usage.memory, usage.read, usage.written) = (1, 2, 3, 0, 5)
        record.usage = usage
        record.exit = -9
        let records = [record, AttemptRecord()]
        try store.write { store throws in
            for (index, record) in records.enumerated() {
                let launch = UInt64(index + 1)
                try store.put(
                    Attempt(
                        request: id, launch: launch, number: 1, host: OpenStore.host, startedAt: 1))
                try store.end(
                    launch, of: id, AttemptEnd(.failed, error: "e", record: record), at: 2)
            }
        }
        try store.reopen()
        let kept = try store.read { store throws in try store.attempts(of: id, limit: 9) }
        #expect(kept.map(\.record) == records)
        #expect(kept.map(\.error) == ["e", "e"])
    }

    @Test(
        "the journal is numbered without a gap, also after a write that threw",
        arguments: TestedStore.allCases)
    func journal(_ kind: TestedStore) throws {
        let store = try kind.make()
        func entry(_ at: Int64, of request: UInt64?) -> JournalEntry {
            JournalEntry(
                .launched, at: at, request: request.map { RequestID(rawValue: $0) },
                identifier: "org.a", launch: 7, detail: "d")
        }
        func list(_ after: UInt64, of request: UInt64? = nil, limit: Int = 99) throws -> [UInt64] {
            try store.read { store throws in
                try store.journal(
                    after: after, of: request.map { RequestID(rawValue: $0) }, limit: limit
                ).map(\.sequence)
            }
        }
        #expect(try list(0) == [])
        try store.write { store throws in
            try store.append(entry(1, of: nil))
            try store.append(entry(2, of: 5))
        }
        #expect(throws: sudden) {
            try store.write { store throws in
                try store.append(entry(3, of: 5))
                throw sudden
            }
        }
        try store.reopen()
        try store.write { store throws in
            try store.append(entry(4, of: 6))
            try store.append(entry(5, of: 5))
        }
        #expect(try list(0) == [1, 2, 3, 4])
        #expect(try list(2) == [3, 4])
        #expect(try list(4) == [])
        #expect(try list(.max) == [])
        #expect(try list(0, limit: 2) == [1, 2])
        #expect(try list(0, limit: -1) == [])
        #expect(try list(0, of: 5) == [2, 4])
        #expect(try list(2, of: 5) == [4])
        #expect(try list(0, of: 5, limit: 1) == [2])
        func last(of request: UInt64) throws -> UInt64? {
            try store.read { store throws in
                try store.lastEntry(of: RequestID(rawValue: request))?.sequence
            }
        }
        #expect(try [5, 6, 7].map(last) == [4, 3, nil])
        var second = entry(2, of: 5)
        second.sequence = 2
        #expect(
            try store.read { store throws in
                try store.journal(after: 1, of: nil, limit: 1)
            } == [second])
    }

    @Test(
        "what is too old or too much is removed, the oldest first, and no more than asked",
        arguments: TestedStore.allCases)
    func pruning(_ kind: TestedStore) throws {
        let store = try kind.make()
        // Changed at 10, 9, 8, …; every fourth one is live.
        let states: [RequestState] = [.finished, .pending, .cancelled, .missed]
        try store.insert(
            (0..<20).map { index in
                sample {
                    $0.state = states[index % 4]
                    $0.changedAt = Int64(100 - index / 2)
                    $0.description.key = "k\(index)"
                }
            }, payload: [1])
        try store.write { store throws in
            for id in 1...20 {
                try store.put(
                    Attempt(
                        request: RequestID(rawValue: UInt64(id)), launch: 1, number: 1,
                        host: OpenStore.host, startedAt: 1))
            }
        }
        func prune(_ date: Int64, _ kept: Int, _ limit: Int) throws -> [UInt64] {
            let count = try store.write { store throws in
                try store.prune(before: date, keeping: kept, limit: limit)
            }
            let left = try store.read { store throws in
                try store.requests(RequestFilter())
            }.map(\.id.rawValue)
            #expect(try isWhole(left))
            return [UInt64(count)] + (1...20).filter { !left.contains($0) }
        }
        func isWhole(_ left: [UInt64]) throws -> Bool {
            try store.read { store throws in
                for id in (1...20).map({ RequestID(rawValue: $0) }) {
                    let isLeft = left.contains(id.rawValue)
                    guard try store.payload(of: id).isEmpty != isLeft,
                        try store.attempts(of: id, limit: 1).isEmpty != isLeft,
                        try
                            (store.find(
                                key: "k\(id.rawValue - 1)", of: "org.example.tidy", owner: nil)
                            == nil)
                            != isLeft
                    else { return false }
                }
                return true
            }
        }
        #expect(try prune(0, 15, 10) == [0])
        #expect(try prune(0, 15, -1) == [0])
        #expect(try prune(92, 15, 2) == [2, 19, 20])
        #expect(try prune(93, 15, 10) == [1, 17, 19, 20])
        #expect(try prune(93, 9, 10) == [3, 13, 15, 16, 17, 19, 20])
        #expect(try prune(94, 9, 10) == [0, 13, 15, 16, 17, 19, 20])
        #expect(try prune(0, -1, 100).first == 9)
        #expect(try prune(.max, 0, 100).first == 0)
        try store.reopen()
        #expect(try store.insert(sample()).id.rawValue == 21)
    }

    @Test(
        "old attempts of a request are removed, and come back with a throw",
        arguments: TestedStore.allCases)
    func oldAttempts(_ kind: TestedStore) throws {
        let store = try kind.make()
        let requests = try store.insert([sample(), sample()])
        func launches(_ request: Request) throws -> [UInt64] {
            try store.read { store in
                try store.attempts(of: request.id, limit: 100).map(\.launch)
            }
        }
        try store.write { store throws in
            for request in requests {
                for launch in 1...9 as ClosedRange<UInt64> {
                    try store.put(
                        Attempt(
                            request: request.id, launch: launch, number: 1, host: OpenStore.host,
                            startedAt: 5))
                }
            }
        }
        #expect(throws: sudden) {
            try store.write { store throws in
                try store.removeAttempts(of: requests[0].id, before: 7)
                #expect(try store.attempt(6, of: requests[0].id) == nil)
                throw sudden
            }
        }
        #expect(try launches(requests[0]) == Array(1...9))
        try store.write { store in
            try store.removeAttempts(of: requests[0].id, before: 7)
            try store.removeAttempts(of: requests[0].id, before: 0)
            try store.removeAttempts(of: RequestID(rawValue: .max), before: .max)
        }
        try store.reopen()
        #expect(try launches(requests[0]) == [7, 8, 9])
        #expect(try launches(requests[1]) == Array(1...9))
    }

    @Test("a number that was removed is not used again", arguments: TestedStore.allCases)
    func numbers(_ kind: TestedStore) throws {
        let store = try kind.make()
        try store.insert(sample { $0.state = .finished })
        try store.write { store throws in
            try store.append(JournalEntry(.submitted, at: 1))
            #expect(try store.prune(before: .max, keeping: 0, limit: 10) == 1)
        }
        try store.reopen()
        #expect(try store.insert(sample()).id.rawValue == 2)
        try store.write { store throws in
            #expect(try store.journal(after: 0, of: nil, limit: 5) == [])
            try store.append(JournalEntry(.submitted, at: 1))
            #expect(try store.journal(after: 0, of: nil, limit: 9).last?.sequence == 2)
        }
        // A removal that is taken back.
        #expect(throws: sudden) {
            try store.write { store throws in
                _ = try store.prune(before: .max, keeping: 0, limit: 10)
                try store.append(JournalEntry(.submitted, at: 1))
                #expect(try store.journal(after: 0, of: nil, limit: 9).last?.sequence == 3)
                throw sudden
            }
        }
        try store.read { store throws in
            #expect(try store.journal(after: 0, of: nil, limit: 5).map(\.sequence) == [2])
        }
    }

    @Test(
        "the journal loses what is older, up to what is not, and what is too much",
        arguments: TestedStore.allCases)
    func journalPruning(_ kind: TestedStore) throws {
        let store = try kind.make()
        try store.write { store throws in
            // The clock was set back after the 20th.
            for number in 1...40 {
                try store.append(
                    JournalEntry(.submitted, at: Int64(number <= 20 ? number : number - 20)))
            }
        }
        func prune(_ date: Int64, _ kept: Int, _ limit: Int) throws -> UInt64? {
            try store.write { store throws in
                _ = try store.prune(before: date, keeping: kept, limit: limit)
                return try store.journal(after: 0, of: nil, limit: 1).first?.sequence
            }
        }
        #expect(try prune(0, 100, 100) == 1)
        #expect(try prune(5, 100, 100) == 5)
        #expect(try prune(18, 100, 1) == 15)
        #expect(try prune(18, 100, 100) == 18)
        #expect(try prune(0, 2, 100) == 21)
        #expect(try prune(0, .max, .max) == 21)
        // As many as the limit says, so that more may be left, and then the rest.
        for limit in 1...2 {
            let count = try store.write { store throws in
                try store.prune(before: 100, keeping: .max, limit: limit)
            }
            #expect(count == 1)
        }
        #expect(try prune(100, .max, 100) == nil)
    }

    @Test("a value is put, replaced and removed", arguments: TestedStore.allCases)
    func values(_ kind: TestedStore) throws {
        let store = try kind.make()
        func value(_ name: String = "n") throws -> [UInt8]? {
            try store.read { store in try store.value(name) }
        }
        func set(_ value: [UInt8]?) throws {
            try store.write { store in try store.setValue("n", value) }
        }
        #expect(try value() == nil)
        try set([1, 0, 2])
        #expect(try value() == [1, 0, 2])
        try set([])
        #expect(try value() == [])
        try store.reopen()
        #expect(try value() == [])
        #expect(try value("m") == nil)
        try set(nil)
        #expect(try value() == nil)
    }

    @Test("a schedule is put, replaced and removed", arguments: TestedStore.allCases)
    func schedules(_ kind: TestedStore) throws {
        let store = try kind.make()
        let first = StoredSchedule(
            name: "b", digest: "d", request: RequestID(rawValue: 7), source: "/etc/ä",
            changedAt: 5)
        let second = StoredSchedule(
            name: "a", digest: "", request: nil, source: "", changedAt: 6)
        try store.write { store in
            try store.put(first)
            try store.put(second)
        }
        try store.reopen()
        #expect(try store.read { try $0.schedules() } == [second, first])
        #expect(try store.read { try $0.schedule("b") } == first)
        #expect(try store.read { try $0.schedule("c") } == nil)
        var changed = first
        (changed.digest, changed.request) = ("e", RequestID(rawValue: 8))
        try store.write { store in
            try store.put(changed)
            try store.removeSchedule("a")
            try store.removeSchedule("c")
        }
        #expect(throws: (any Error).self) {
            try store.write { store in
                try store.removeSchedule("b")
                try store.put(second)
                throw StoreFault(.unknown, "undone")
            }
        }
        try store.reopen()
        #expect(try store.read { try $0.schedules() } == [changed])
    }

    @Test(
        "a payload takes the place of another one, of any length", arguments: TestedStore.allCases)
    func setPayload(_ kind: TestedStore) throws {
        let store = try kind.make()
        let long = [UInt8](repeating: 7, count: 5_000)
        let id = try store.insert(sample(), payload: [1]).id
        for payload in [[], long, [2, 3], long + long, [4], []] {
            try store.write { store in
                try store.setPayload(payload, of: id)
                #expect(try store.payload(of: id) == payload)
                #expect(try store.request(id)?.payloadBytes == payload.count)
            }
            try store.reopen()
            #expect(try store.read { try $0.payload(of: id) } == payload)
            #expect(try store.read { try $0.request(id)?.payloadBytes } == payload.count)
        }
        try store.write { try $0.setPayload([1], of: RequestID(rawValue: 99)) }
        #expect(try store.read { try $0.payload(of: RequestID(rawValue: 99)) } == [])
    }
}
