// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Persistence
@testable import Scheduling

/// Several hosts of one store on a server.
@Suite(
    "Hosts that share a store",
    .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct PostgresHostTests {
    private let address: PostgresAddress

    init() throws { address = try PostgresAddress(PostgresServer.shared.url()) }

    /// A host, as far as a store knows it.
    private final class Member {
        let store: PostgresStore
        var book: RequestBook
        private(set) var now = Moment(wall: 1_000_000_000_000, span: 1_000_000_000_000)

        init(_ address: PostgresAddress, process: Int32, boot: String = "boot") throws {
            store = try PostgresStore.open(address, creates: true)
            book = RequestBook(host: HostIdentity(boot: boot, process: process, start: 1))
            book.setHost(
                HostRecord(
                    identity: book.host.identity, machine: "m\(process)", space: 1, since: 0,
                    lease: 30_000_000_000, release: "1.0"))
            book.setState(HandlerState(places: 4), of: "org.example.tidy")
        }

        @discardableResult
        func enter(
            isGone: (HostRecord) -> Bool = { _ in false }
        ) throws -> (interrupted: Int, parked: Int, wasClean: Bool) {
            try store.write { transaction throws(StoreFault) in
                try book.open(at: now, transaction, isGone: isGone)
            }
        }

        func submit(_ count: Int = 1) throws {
            let outlook = book.outlook(submitting: count, ending: [], at: now)
            try store.write(expecting: outlook) { transaction throws(StoreFault) in
                for _ in 0..<count {
                    _ = try book.submit(
                        RequestDescription("org.example.tidy", onPending: .add), payload: [7],
                        at: now, transaction)
                }
            }
        }

        /// Decides, and returns the requests that are launched.
        ///
        /// - Parameter looks: whether others may have written.
        func decide(looks: Bool = true) throws -> [RequestID] {
            now.wall += 1_000_000
            now.span += 1_000_000
            if looks { book.othersWrote() }
            let outlook = book.outlook(submitting: 0, ending: [], at: now)
            let effects = try store.write(expecting: outlook) { transaction throws(StoreFault) in
                try book.decide(at: now, transaction)
            }
            return effects.compactMap { effect in
                guard case .launch(let request, _, let payload, _) = effect, payload == [7] else {
                    return nil
                }
                return request.id
            }
        }

        /// Ends tasks in one transaction.
        func end(_ ids: [RequestID]) throws {
            let outlook = book.outlook(submitting: 0, ending: Set(ids), at: now)
            try store.write(expecting: outlook) { transaction throws(StoreFault) in
                for id in ids {
                    _ = try book.ended(
                        id, launch: 1, AttemptEnd(.succeeded), answered: true, at: now,
                        transaction)
                }
            }
        }

        /// Returns how many round trips something takes.
        func roundTrips(_ body: () throws -> Void) rethrows -> Int {
            let before = store.roundTrips
            try body()
            return store.roundTrips - before
        }

        func end(_ id: RequestID, launch: UInt64 = 1) throws -> Request? {
            try store.write { transaction throws(StoreFault) in
                try book.ended(
                    id, launch: launch, AttemptEnd(.succeeded), answered: true, at: now,
                    transaction)
            }
        }

        func read<Result>(
            _ body: (any StoreTransaction) throws(StoreFault) -> Result
        ) throws -> Result { try store.read(body) }
    }

    @Test("each request is launched by one host, and each host by its places")
    func claims() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try b.enter()
        try a.submit(6)
        let first = try a.decide()
        let second = try b.decide()
        #expect(first.count == 4 && second.count == 2)
        #expect(Set(first + second).count == 6)
        #expect(try a.read { store throws(StoreFault) in try store.hosts().map(\.id) } == [1, 2])
        for id in first { #expect(try a.end(id)?.state == .finished) }
        for id in second { #expect(try b.end(id)?.state == .finished) }
        let journal = try a.read { store throws(StoreFault) in
            try store.journal(after: 0, of: nil, limit: 100)
        }
        #expect(journal.map(\.sequence) == Array(1...UInt64(journal.count)))
        #expect(journal.count { $0.what == .launched } == 6)
    }

    @Test(
        "the requests of a host that is gone are taken over, by one, and its own ends are rejected")
    func takeOver() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try a.submit(3)
        let running = try a.decide()
        #expect(running.count == 3)
        #expect(try b.enter().interrupted == 0)
        let dead = try b.read { store throws(StoreFault) in try store.hosts()[0] }
        for taker in [b, try Member(address, process: 3)] {
            if taker !== b { try taker.enter() }
            let counts = try taker.store.write { store throws(StoreFault) in
                try taker.book.ledger.takeOver(dead, by: taker.book.host, at: taker.now, store)
            }
            #expect(counts.interrupted == (taker === b ? 3 : 0))
        }
        // The first host lives, and finds that out with whatever it writes next.
        #expect {
            try a.end(running[0])
        } throws: {
            ($0 as? StoreFault)?.kind == .fenced
        }
        try a.enter()
        #expect(try a.end(running[0]) == nil)
        let again = try b.decide()
        // That one's process had not ended, as is known now. Of the others one at a time is launched.
        #expect(again.count == 2 && again.contains(running[0]) && running.contains(again[1]))
        for id in again { #expect(try b.end(id, launch: 2)?.state == .finished) }
        // The last was claimed then, but not launched, and has not been forgotten.
        let next = try b.decide(looks: false)
        #expect(next.count == 1)
        for id in next { #expect(try b.end(id, launch: 2)?.state == .finished) }
        let what = try b.read { store throws(StoreFault) in
            try store.journal(after: 0, of: nil, limit: 100).map(\.what)
        }
        #expect(what.count { $0 == .hostLost } == 1 && what.count { $0 == .fenced } == 1)
    }

    @Test(
        "claims do not walk over what was launched before, though an old transaction keeps its rows"
    )
    func oldSnapshot() throws {
        let turns = 60
        let places = 64
        // Ends its session, which counts what it has read.
        func launchAll() throws {
            let host = try Member(address, process: 1)
            host.book.setState(HandlerState(places: places), of: "org.example.tidy")
            // However slow the machine is.
            host.store.floors.age = 3_600_000_000_000
            try host.enter()
            for _ in 0..<turns { try host.submit(Int(places)) }
            let old = try PostgresStore.open(address, creates: false)
            try old.read { transaction throws(StoreFault) in
                #expect(try transaction.pendingCount(.all, atMost: 1) == 1)
                do {
                    for _ in 0..<turns {
                        let ids = try host.decide(looks: false)
                        #expect(ids.count == Int(places))
                        try host.end(ids)
                    }
                } catch { Issue.record(error) }
            }
        }
        try launchAll()
        let read = try PostgresServer.shared.run(
            "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE schemaname = '\(address.schema)' AND indexrelname = 'request_pending'"
        )
        // Each claim would read all that were launched before: 240,000 in all.
        let count = try #require(read.first.flatMap { Int($0) })
        #expect(count < 30_000, "\(count)")
    }

    @Test("a host that has beaten meanwhile is not taken over")
    func beaten() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try b.enter()
        var seen = try b.read { store throws(StoreFault) in try store.hosts()[0] }
        seen.beat -= 1
        let dead = seen
        let counts = try b.store.write { store throws(StoreFault) in
            try b.book.ledger.takeOver(dead, by: b.book.host, at: b.now, store)
        }
        #expect(counts.interrupted == 0)
        try a.submit()
        #expect(try a.decide().count == 1)
    }

    @Test(
        "a transaction takes two round trips, and one that only submits takes one, whatever its size",
        arguments: [1, 4, 64])
    func roundTrips(_ count: Int) throws {
        let host = try Member(address, process: 1)
        host.book.setState(HandlerState(places: count), of: "org.example.tidy")
        try host.enter()
        // What is asked once: how many are pending, and what earlier hosts have launched. Numbers are drawn for as many
        // as were submitted before.
        try host.submit(count)
        try host.end(host.decide(looks: false))
        for _ in 0..<2 {
            #expect(try host.roundTrips { try host.submit(count) } == 1)
            var running: [RequestID] = []
            #expect(try host.roundTrips { running = try host.decide(looks: false) } == 2)
            #expect(running.count == count)
            #expect(try host.roundTrips { try host.end(running) } == 2)
        }
    }

    @Test(
        "more pending requests than a host counts each time cost a submission nothing, and have a limit"
    )
    func manyPending() throws {
        let host = try Member(address, process: 1)
        try host.enter()
        host.book.ledger.limits.pendingPerIdentifier = 1_000_000
        host.book.ledger.limits.pendingInAll = 10_400
        for _ in 0..<40 { try host.submit(256) }
        // A second later they are counted again, together with what is asked anyway.
        for _ in 0..<2 { #expect(try host.roundTrips { try host.submit(64) } <= 2) }
        func submit() throws -> Bool {
            try host.store.write { transaction throws(StoreFault) in
                let answer = try host.book.submit(
                    RequestDescription("org.example.tidy", onPending: .add), payload: [],
                    at: host.now, transaction)
                if case .failure(.tooMany(.all, limit: 10_400)) = answer { return false }
                return true
            }
        }
        for _ in 10_368..<10_400 { #expect(try submit()) }
        #expect(try !submit())
    }

    @Test("what runs one at a time in a host does so in all of them")
    func oneAtATime() throws {
        let hosts = try (1...3).map { try Member(address, process: $0) }
        for host in hosts {
            host.book.setState(HandlerState(places: 1), of: "org.example.tidy")
            try host.enter()
        }
        try hosts[0].submit(4)
        for round in 0..<4 {
            var launched: [(host: Member, id: RequestID)] = []
            for host in hosts { launched += try host.decide().map { (host, $0) } }
            try #require(launched.count == 1, "in round \(round)")
            for host in hosts { #expect(try host.decide().isEmpty) }
            #expect(try launched[0].host.end(launched[0].id)?.state == .finished)
        }
        for host in hosts { #expect(try host.decide().isEmpty) }
    }

    /// Returns the data version once nothing is under way that it counts.
    private static func settledVersion(of store: PostgresStore) throws -> Int64 {
        store.askInterval = 0
        var version = try store.dataVersion()
        while !store.isSettled { version = try store.dataVersion() }
        return version
    }

    @Test("a look is no news to others, unless it kept requests from them that it has not launched")
    func looks() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try b.enter()
        try a.submit(2)
        #expect(try a.decide(looks: false).count == 2)
        let version = try Self.settledVersion(of: b.store)
        for _ in 0..<3 { #expect(try a.decide().isEmpty) }
        #expect(try b.store.dataVersion() == version)
        try a.submit(2)
        let before = try b.store.dataVersion()
        #expect(before != version)
        let pending = try a.read { store throws(StoreFault) in
            try store.pending(of: "org.example.tidy")
        }
        let claimed = try a.store.write { [now = a.now] store throws(StoreFault) in
            try store.claim(pending[0].id, of: pending[0].queue, at: now.wall)
        }
        #expect(claimed == pending[0].id)
        #expect(try b.store.dataVersion() != before)
        #expect(try a.decide().count == 2)
    }

    @Test("a turn that is counted before it is committed is news again once it is")
    func underWay() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try b.enter()
        let before = try Self.settledVersion(of: b.store)
        let during = try a.store.write { transaction throws(StoreFault) in
            try transaction.append(
                JournalEntry(.submitted, at: 1, request: nil, identifier: "org.example.tidy"))
            // Its entries get their numbers, so that its turn has its place.
            _ = try transaction.journal(after: .max, of: nil, limit: 1)
            let first = try b.store.dataVersion()
            #expect(first != before)
            let second = try b.store.dataVersion()
            #expect(second != first && !b.store.isSettled)
            return second
        }
        let after = try b.store.dataVersion()
        #expect(after != during)
        #expect(b.store.isSettled)
        #expect(try b.store.dataVersion() == after)
    }

    @Test("hosts that have left are forgotten with the history")
    func pruned() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try b.enter()
        try a.store.write { store throws(StoreFault) in
            try a.book.ledger.leave(a.book.host, at: a.now, store)
        }
        let name = address.schema
        #expect(try PostgresServer.shared.run("SELECT count(*) FROM \(name).host") == ["2"])
        _ = try b.store.write { store throws(StoreFault) in
            try store.prune(before: a.now.wall + 1, keeping: 10, limit: 10)
        }
        #expect(try PostgresServer.shared.run("SELECT count(*) FROM \(name).host") == ["1"])
        #expect(try b.read { store throws(StoreFault) in try store.hosts().count } == 1)
    }

    @Test(
        "a request that is retried while its history is removed stays, and two do not remove twice as much"
    )
    func prunedTogether() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try b.enter()
        try a.submit(4)
        let ids = try a.decide()
        try a.end(ids)
        func prune(_ member: Member, keeping kept: Int) throws(StoreFault) -> Int {
            try member.store.write { store throws(StoreFault) in
                try store.prune(before: 0, keeping: kept, limit: 10)
            }
        }
        var removed = 0
        try a.store.write { store throws(StoreFault) in
            var request = try store.request(ids[0])!
            // The oldest one is locked now.
            removed = try prune(b, keeping: 3)
            request.state = .pending
            try store.update(request)
        }
        #expect(removed == 1)
        #expect(
            try b.read { store throws(StoreFault) in try store.request(ids[0])?.state } == .pending)
        try a.store.write { store throws(StoreFault) in
            #expect(try store.prune(before: 0, keeping: 1, limit: 10) == 1)
            removed = try prune(b, keeping: 1)
        }
        #expect(removed == 0)
        let left = try PostgresServer.shared.run(
            "SELECT count(*), (SELECT count(*) FROM \(address.schema).attempt) FROM \(address.schema).request"
        )
        #expect(left == ["2|2"])
    }

    @Test(
        "a host that did not get a request which another one had locked knows that it has to look again"
    )
    func missed() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try b.enter()
        try a.submit()
        let fault = StoreFault(.busy, "rolled back")
        #expect(throws: fault) {
            try a.store.write { [now = a.now] store throws(StoreFault) in
                let first = try store.pending(of: "org.example.tidy")[0]
                _ = try store.claim(first.id, of: first.queue, at: now.wall)
                do { #expect(try b.decide().isEmpty) } catch { Issue.record(error) }
                throw fault
            }
        }
        let (hasMissed, hasMissedSince) = (b.book.takeMissed(), b.book.takeMissed())
        #expect(hasMissed && !hasMissedSince)
        #expect(try b.decide().count == 1)
        let hasMissedAgain = b.book.takeMissed()
        #expect(!hasMissedAgain)
    }

    @Test("what another host has launched again while one waited is no orphan")
    func orphansAgain() throws {
        let (a, c) = (try Member(address, process: 1), try Member(address, process: 3))
        for host in [a, c] { try host.enter() }
        try a.submit(2)
        let ids = try a.decide()
        // Its process is gone, and nobody has looked at what it ran.
        try PostgresServer.shared.run(
            "UPDATE \(address.schema).host SET ended_at = 1 WHERE process = 1")
        let found = Guarded<[RequestID]?>(nil)
        let isWaiting = """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE OF r%' OR wait_event_type = 'Lock' AND query LIKE '%AS r WHERE state = 2%'
            """
        try c.store.write { [now = c.now] store throws(StoreFault) in
            _ = try store.request(ids[0])
            Thread.detachNewThread { [address] in
                let orphans = try? PostgresStore.open(address, creates: false).write {
                    store throws(StoreFault) in try store.orphans().map(\.id)
                }
                found.value = orphans ?? []
            }
            do {
                while try PostgresServer.shared.run(isWaiting) == ["0"] { usleep(5_000) }
                // A third host has both settled the second one and launched it again.
                let other = try PostgresStore.open(address, creates: false)
                try other.write { store throws(StoreFault) in
                    var request = try store.request(ids[1])!
                    request.launches = 2
                    try store.update(request)
                    try store.put(
                        Attempt(
                            request: ids[1], launch: 2, number: 1, host: c.book.host.identity,
                            startedAt: now.wall))
                }
            } catch { Issue.record(error) }
        }
        while found.value == nil { usleep(5_000) }
        #expect(found.value == [ids[0]])
    }

    @Test("a host beats while its turn is under way, and nobody ends it before that is over")
    func beating() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try b.enter()
        let schema = address.schema
        try a.store.write { store throws(StoreFault) in
            try store.setValue("n", [1])
            _ = try store.value("n")
            do {
                try PostgresServer.shared.run(
                    "SET lock_timeout = '2s'; UPDATE \(schema).host SET beat = beat + 1 WHERE process = 1"
                )
            } catch { Issue.record(error) }
            #expect(throws: StoreFault.self) {
                try b.store.write { store throws(StoreFault) in
                    try store.leave(store.hosts().first { $0.identity.process == 1 }!, at: 1)
                }
            }
        }
        let isEnded = try b.store.write { store throws(StoreFault) in
            try store.leave(store.hosts().first { $0.identity.process == 1 }!, at: 1)
        }
        #expect(isEnded)
    }

    @Test("as many run in all hosts as the handler has places in the store")
    func mostInStore() throws {
        let hosts = try (1...4).map { try Member(address, process: $0) }
        for host in hosts {
            host.book.setState(HandlerState(places: 2, inStore: 3), of: "org.example.tidy")
            try host.enter()
        }
        try hosts[0].submit(7)
        var running: [(host: Member, id: RequestID)] = []
        var over = 0
        while over < 7 {
            for host in hosts { running += try host.decide().map { (host, $0) } }
            #expect(running.count == min(3, 7 - over))
            #expect(hosts.allSatisfy { host in running.count { $0.host === host } <= 2 })
            for host in hosts { #expect(try host.decide().isEmpty) }
            try #require(!running.isEmpty)
            let (host, id) = running.removeFirst()
            #expect(try host.end(id)?.state == .finished)
            over += 1
        }
    }

    @Test("what runs in a host that leaves is pending again, for those that are there")
    func left() throws {
        let (a, b) = (try Member(address, process: 1), try Member(address, process: 2))
        try a.enter()
        try b.enter()
        try a.submit()
        #expect(try a.decide().count == 1)
        try a.store.write { store throws(StoreFault) in
            try a.book.ledger.leave(a.book.host, at: a.now, store)
        }
        let launched = try b.decide()
        #expect(launched.count == 1)
        let (request, attempts) = try b.read { store throws(StoreFault) in
            (try store.request(launched[0]), try store.attempts(of: launched[0], limit: 9))
        }
        #expect(request?.crashes == 0 && request?.attempts == 0)
        #expect(attempts.map(\.outcome) == [.interrupted, nil])
        #expect(attempts.first?.error == "its host has left the store")
    }
}
