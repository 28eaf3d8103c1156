// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Requests of other users than the store's own")
struct RequestLedgerOwnerTests {
    private let store = MemoryStore()
    private var ledger = RequestLedger()
    private let alice = Requester(user: 1_001, process: 11)
    private let bob = Requester(user: 1_002, process: 12)

    private func description(
        _ onPending: RequestDescription.OnPending = .add, key: String? = nil
    ) -> RequestDescription {
        var description = RequestDescription("org.example.tidy")
        description.onPending = onPending
        description.key = key
        return description
    }

    private func submit(
        _ description: RequestDescription, _ requester: Requester?, payload: [UInt8] = []
    ) throws -> Result<Submission, RequestRefusal> {
        try store.write { store throws(StoreFault) in
            try ledger.submit(description, payload: payload, by: requester, at: second, store).value
        }
    }

    private func request(_ id: UInt64) throws -> Request? {
        try store.read { store throws(StoreFault) in try store.request(RequestID(rawValue: id)) }
    }

    @Test("a key is the user's own: another one's is neither found nor in the way")
    func keys() throws {
        for requester in [alice, bob, nil] {
            guard case .success(.queued) = try submit(description(key: "k"), requester) else {
                Issue.record("not queued")
                return
            }
            guard
                case .success(.duplicateKey(let id)) = try submit(description(key: "k"), requester)
            else {
                Issue.record("no duplicate")
                return
            }
            #expect(try request(id.rawValue)?.owner == requester?.user)
            guard
                case .failure(.keyTaken(id)) =
                    try submit(description(key: "k"), requester, payload: [1])
            else {
                Issue.record("the key is not taken")
                return
            }
        }
    }

    @Test("what is pending is replaced or kept among the user's own")
    func pending() throws {
        for requester in [alice, nil, bob] {
            _ = try submit(description(), requester)
            _ = try submit(description(), requester)
        }
        #expect(
            try submit(description(.keep), alice)
                == .success(.duplicatePending(RequestID(rawValue: 1))))
        #expect(
            try submit(description(.keep), nil)
                == .success(.duplicatePending(RequestID(rawValue: 3))))
        #expect(
            try submit(description(.replace), bob)
                == .success(
                    .queued(
                        RequestID(rawValue: 7),
                        replaced: [RequestID(rawValue: 5), RequestID(rawValue: 6)])))
        for id in UInt64(1)...4 { #expect(try request(id)?.state == .pending) }
        #expect(try submit(description(.replace), nil).get().id.rawValue == 8)
        #expect(try request(1)?.state == .pending && request(7)?.state == .pending)
        #expect(try request(3)?.state == .replaced && request(4)?.state == .replaced)
    }

    @Test("each user has a limit of pending requests, which is no limit of others")
    mutating func limit() throws {
        ledger.limits.pendingPerOwner = 2
        for _ in 0..<2 { _ = try submit(description(), alice).get() }
        #expect(try submit(description(), alice) == .failure(.tooMany(.owner(1_001), limit: 2)))
        // One that replaces two leaves room.
        _ = try submit(description(.replace), alice).get()
        _ = try submit(description(), bob).get()
        for _ in 0..<3 { _ = try submit(description(), nil).get() }
    }

    @Test("the journal has who asked for each change")
    func journal() throws {
        let id = try submit(description(), alice).get().id
        try store.write { store throws(StoreFault) in
            _ = try ledger.launchNow(id, by: bob, at: second, store)
            _ = try ledger.cancel(id, by: alice, at: second, store)
            _ = try ledger.retry(id, by: alice, at: second, store)
            _ = try ledger.cancel(id, at: second, store)
        }
        let entries = try store.read { store throws(StoreFault) in
            try store.journal(after: 0, of: id, limit: 10)
        }
        #expect(entries.map(\.what) == [.submitted, .triggered, .cancelled, .retried, .cancelled])
        #expect(
            entries.map(\.detail) == [
                "by user 1001 (process 11)", "by user 1002 (process 12)",
                "by user 1001 (process 11)",
                "by user 1001 (process 11)", "",
            ])
    }
}
