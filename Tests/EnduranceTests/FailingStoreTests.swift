// SPDX-License-Identifier: Apache-2.0
import Curfew
import Persistence
import Runner
import Scheduling
import TestSupport
import Testing

/// As SQLite tests itself: the first call fails, then the second one, and so on until none does.
@Suite("A store that fails in the middle of things", .timeLimit(.minutes(60)))
struct FailingStoreTests {
    private static let handler = "org.example.quick"
    private static let count = 3

    /// A host's life, with what happened in it.
    private final class Life: Sendable {
        let records = Locked<[Record]>([])
        let clock = ManualClock()
        let store: FailingStore
        private let identity: HostIdentity

        init(_ directory: String) throws {
            store = FailingStore(in: directory)
            identity = try HostIdentity.current()
        }

        func put(_ kind: String, _ fields: String...) {
            let record = Record(([kind] + fields).joined(separator: "\t"))
            records.withLock { $0.append(record) }
        }

        /// Submits, lets all of it end, and stops.
        func live() throws {
            let host = try start()
            try host.register(
                HandlerDescription(identifier: handler, kind: .processing)
            ) { [self] (task: RunningTask) in
                let key = String(decoding: task.payload, as: UTF8.self)
                put("run", key, "\(task.attempt)")
                if key == "fails", task.attempt == 1 { throw CancellationError() }
            }
            for number in 0..<count {
                submit(number == 1 ? "fails" : "\(number)", to: host)
            }
            let until = ContinuousClock.now + .seconds(20)
            while try !isOver(host) {
                guard ContinuousClock.now < until else {
                    put("stuck")
                    break
                }
                _ = clock.advance(by: 1_000_000_000)
            }
            try host.shutDown()
        }

        private func start() throws -> Host {
            while true {
                do throws(CurfewError) {
                    var configuration = HostConfiguration()
                    configuration.clock = clock
                    configuration.log = { _, _, _, _ in }
                    configuration.requests.host = identity
                    configuration.requests.openStore = { [store, identity] () throws(StoreFault) in
                        try store.open(as: identity)
                    }
                    return try Host(configuration)
                } catch {
                    guard error.code == .storeIO else { throw error }
                }
            }
        }

        /// Until it is taken in; the key keeps it one request.
        private func submit(_ key: String, to host: Host) {
            var description = RequestDescription(handler, kind: .processing)
            description.onPending = .add
            description.key = key
            description.retry = RetryPolicy(attempts: 2, base: 1_000_000_000)
            put("ask", key)
            while true {
                guard let answer = try? host.submit(description, payload: Array(key.utf8)) else {
                    continue
                }
                put("ack", key, "\(answer.id.rawValue)", "", "")
                return
            }
        }

        private func isOver(_ host: Host) throws -> Bool {
            let left = try? host.requests(in: [.pending, .running])
            return left?.isEmpty == true
        }
    }

    private func faults(_ failing: Range<Int>) throws -> (faults: [String], failed: Int) {
        let directory = try TemporaryDirectory()
        let life = try Life(directory.path("store"))
        life.store.fail(at: failing)
        try life.live()
        let records = life.records.withLock { $0 }
        var faults = HistoryCheck(records, try StoreContents(of: directory.path("store"))).faults
        if records.contains(where: { $0.kind == "stuck" }) { faults.append("stuck") }
        return (faults, life.store.failed)
    }

    @Test(
        "loses and doubles nothing, and all goes on once it works again",
        arguments: [1, 3, 40])
    func everyCall(length: Int) throws {
        var point = 0
        var reached = 0
        while true {
            let (faults, failed) = try faults(point..<point + length)
            if failed == 0 { break }
            #expect(faults.count == 0, "\(point)…\(point + length): \(faults.prefix(5))")
            reached += 1
            point += Torture.isWanted ? 1 : length < 40 ? 3 : 8
        }
        #expect(reached > 10)
        Torture.tell("a store failed at \(reached) points of \(point), \(length) at a time")
    }
}
