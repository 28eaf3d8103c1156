// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import Persistence
import RequestFaults
import Runner
import Scheduling
import TestSupport
import Testing

@Suite("A host whose store others write into", .timeLimit(.minutes(5)))
struct StoreWatchTests {
    private let clock = ManualClock()
    private let directory: TemporaryDirectory
    private var place: String { directory.path("store") }

    init() throws { directory = try TemporaryDirectory() }

    /// A host that looks so often by itself.
    private func host(
        every interval: UInt64,
        _ open: (@Sendable () throws(StoreFault) -> any RequestStore)? = nil
    ) throws -> Host {
        try Host.forTests(clock: clock) {
            try? $0.requests.store(in: place)
            $0.requests.storeLookInterval = interval
            if let open { $0.requests.openStore = open }
        }
    }

    /// As another process does.
    private static func submit(_ place: String, touches: Bool) throws(StoreFault) {
        let store = try SQLiteStore.open(directory: place, as: .client(creates: false))
        try store.write { (transaction) throws(StoreFault) in
            let ledger = RequestLedger()
            _ = try ledger.submit(
                RequestDescription("org.example.tidy"), payload: [], at: 0, transaction)
        }
        if touches { try SQLiteStore.touchWake(directory: place) }
    }

    @Test("A request whose process was killed before it touched the file is launched")
    func untouched() async throws {
        let host = try host(every: 1_000_000)
        #expect(try host.requests().isEmpty)
        let ran = Gate()
        try host.register(.tidy) { _ in ran.open() }
        try Self.submit(place, touches: false)
        try ran.pass()
        try host.shutDown()
    }

    @Test("A request that comes after the host has read and before it watches is launched")
    func between() async throws {
        let isFirst = Guarded(true)
        let place = place
        let identity = try HostIdentity.current()
        let host = try host(every: .max) { () throws(StoreFault) in
            let store = try SQLiteStore.open(directory: place, as: .host(identity))
            return TappedStore(store) { (point) throws(StoreFault) in
                guard point == .committed, isFirst.value else { return }
                isFirst.change { $0 = false }
                try Self.submit(place, touches: true)
            }
        }
        let ran = Gate()
        try host.register(.tidy) { _ in ran.open() }
        try ran.pass()
        try host.shutDown()
    }

    @Test("A file that was removed is made again, and touching it wakes the host")
    func removed() async throws {
        let host = try host(every: .max)
        let ran = Gate()
        try host.register(.tidy) { _ in ran.open() }
        let file = SQLiteStore.wakeFile(of: place)
        #expect(await eventually { unlink(file) == 0 })
        #expect(await eventually { access(file, F_OK) == 0 })
        try Self.submit(place, touches: true)
        try ran.pass()
        try host.shutDown()
    }
}
