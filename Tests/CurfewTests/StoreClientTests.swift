// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import Runner
import Scheduling
import Testing

@Suite("A store seen from beside its host", .timeLimit(.minutes(5)))
final class StoreClientTests {
    private let clock = ManualClock()
    private let parent: String
    private var place: String { parent + "/store" }
    private let works = HandlerDescription(identifier: "org.example.tidy")

    init() throws {
        var template = Array("/tmp/curfew-XXXXXX".utf8CString)
        let made = mkdtemp(&template)
        try #require(made != nil)
        parent = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in [
            "requests.db", "requests.db-wal", "requests.db-shm", "lock", "wake", "acknowledged",
        ] {
            unlink(place + "/" + name)
        }
        rmdir(place)
        rmdir(parent)
    }

    private func host() throws -> Host {
        try Host.forTests(clock: clock) {
            $0.requests.debounceNanoseconds = 0
            try? $0.requests.store(in: place)
        }
    }

    private func submit(
        _ client: StoreClient, _ change: (inout RequestDescription) -> Void = { _ in }
    ) throws -> RequestID {
        var description = RequestDescription("org.example.tidy")
        change(&description)
        let answer = try client.write { (ledger, store) throws(StoreFault) in
            try ledger.submit(description, payload: [], at: clock.moment.wall, store).value
        }
        return try answer.get().id
    }

    @Test("Without a store there is nothing to open, and looking makes none")
    func nothing() {
        let fault = #expect(throws: StoreFault.self) { try StoreClient(directory: place) }
        #expect(fault?.kind == .absent)
        #expect(access(place, F_OK) != 0)
    }

    @Test("What is submitted before there is a host is launched by the first one")
    func before() async throws {
        let client = try StoreClient(directory: place, creates: true)
        #expect(try client.host() == nil)
        let id = try submit(client)
        let host = try host()
        try host.register(works) { _ in }
        #expect(
            await eventually {
                (try? client.read { (s) throws(StoreFault) in
                    try s.request(id)?.state
                }) == .finished
            })
        try host.shutDown()
    }

    @Test("A host is told of what others submit, cancel and set")
    func told() async throws {
        let host = try host()
        try host.register(works) { task in
            while !task.isExpired { sched_yield() }
        }
        // The host opens its store with the first call.
        #expect(try host.requests().isEmpty)
        let client = try StoreClient(directory: place)
        let presence = try #require(try client.host())
        #expect(presence.process == getpid())
        #expect(presence.since.map { $0 > 0 } == true)

        let id = try submit(client)
        #expect(await eventually { (try? host.request(id))??.state == .running })
        let answer = try client.write { (ledger, store) throws(StoreFault) in
            try ledger.cancel(id, at: clock.moment.wall, store).value
        }
        #expect(answer == .running(launch: 1))
        #expect(await eventually { (try? host.request(id))??.state == .cancelled })

        let set = try client.change(.identifier("org.example.tidy"), at: clock.moment) {
            $0.enablement = .suspended
        }.get()
        #expect(set.setting(of: "org.example.tidy", plugin: "").enablement == .suspended)
        #expect(
            await eventually {
                let reports = try? host.why("org.example.tidy", kind: .appRefresh)
                return reports?.contains { $0.factor == .enablement && $0.holds } == true
            })
        #expect(try client.settings(at: clock.moment) == set)
        try host.shutDown()
    }

    @Test("Why a request waits is what its host has written, which goes with the host")
    func reported() async throws {
        let host = try host()
        try host.override(.network, with: .no, detail: "unplugged")
        let client = try StoreClient(directory: place)
        let queue = RequestQueue(identifier: "org.example.tidy", kind: .appRefresh, needs: .network)
        func why(_ factor: Factor) -> FactorReport? {
            try? client.why(queue, nil, at: clock.moment)[0].reports
                .first { $0.factor == factor }
        }
        #expect(await eventually { (try? client.hosts().first?.report) != nil })
        #expect(why(.handler)?.detail.hasPrefix("neither the host nor a plugin") == true)
        let program = RequestQueue(identifier: "org.curfew.command", kind: .continuedProcessing)
        let ofProgram = try client.why(program, nil, at: clock.moment)[0].reports
        #expect(ofProgram.first?.detail == "the host does not run programs")
        try host.register(works) { _ in }
        _ = clock.advance(by: UInt64(3_000_000_000))
        #expect(await eventually { why(.handler)?.state == .yes })
        #expect(why(.network)?.detail == "unplugged" && why(.network)?.holds == true)
        try host.pause("org.example.tidy")
        _ = clock.advance(by: UInt64(3_000_000_000))
        #expect(await eventually { why(.handler)?.detail == "the handler is paused" })
        try host.shutDown()
        #expect(try client.hosts().isEmpty)
        // A program needs no plugin, only a host.
        #expect(try client.why(program, nil, at: clock.moment)[0].reports.first?.factor == .host)
    }

    @Test("Many are cancelled in portions, between which others can write")
    func portions() throws {
        let client = try StoreClient(directory: place, creates: true)
        var limits = RequestLimits()
        limits.pending[.appRefresh] = 10_000
        let answers = try client.write(limits: limits) { (ledger, store) throws(StoreFault) in
            for number in 0..<1_300 {
                let description = RequestDescription(
                    number < 1_250 ? "org.example.tidy" : "org.example.other", onPending: .add)
                _ = try ledger.submit(description, payload: [], at: 0, store)
            }
            return try store.pendingCount(.kind(.appRefresh), atMost: .max)
        }
        #expect(answers == 1_300)
        let other = try StoreClient(directory: place)
        var portions: [Int] = []
        try client.cancelWaiting(of: "org.example.tidy", at: 0) { cancelled in
            portions.append(cancelled.count)
            // It would wait for the lock for two seconds, and fail.
            let written = try? other.write { (_, store) throws(StoreFault) in
                try store.setValue("between", [UInt8(portions.count)])
                return try store.pendingCount(.kind(.appRefresh), atMost: .max)
            }
            #expect(written == 1_300 - portions.reduce(0, +))
        }
        #expect(portions == [500, 500, 250])
        try client.cancelWaiting(of: nil, at: 0) { portions = [$0.count] }
        #expect(portions == [50])
    }

    @Test("Why a request waits is told without a host, and that there is none is a reason")
    func why() throws {
        let client = try StoreClient(directory: place, creates: true)
        let now = clock.moment
        let later = now.wall + 900_000_000_000
        let id = try submit(client) { $0.earliest = later }
        let request = try #require(
            try client.read { (store) throws(StoreFault) in try store.request(id) })
        let reports = try client.why(request, nil, at: now)[0].reports
        let holding = reports.filter(\.holds).map(\.factor)
        #expect(holding.contains(.host) && holding.contains(.date))
        #expect(reports.first { $0.factor == .date }?.until == later)
        for factor in [Factor.launchRate, .place, .dayBudget] {
            #expect(reports.first { $0.factor == factor }?.state == .unknown)
        }
        #expect(reports.first?.factor == .handler && reports.first?.holds == true)
        let found = try client.why(request, HandlerState(), at: now)[0].reports
        #expect(found.first { $0.factor == .handler }?.state == .unknown)
        #expect(RequestScheduler.earliest(reports, at: now.wall) == nil)
    }
}
