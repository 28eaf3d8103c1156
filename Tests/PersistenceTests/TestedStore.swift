// SPDX-License-Identifier: Apache-2.0
import Persistence
import Scheduling
import TestSupport
import Testing

/// The stores that keep the one contract.
enum TestedStore: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite, postgres

    /// Those whose parts are installed here.
    static var allCases: [TestedStore] {
        PostgresServer.programs == nil ? [.memory, .sqlite] : [.memory, .sqlite, .postgres]
    }

    var testDescription: String { rawValue }

    /// An empty one, and how to close it and open it again, which for a store in memory is nothing.
    func make() throws -> OpenStore {
        switch self {
        case .memory: OpenStore(MemoryStore(), in: nil)
        case .sqlite: try OpenStore(in: TemporaryDirectory())
        case .postgres: try OpenStore(at: PostgresAddress(PostgresServer.shared.url()))
        }
    }
}

/// A store that a test has open.
final class OpenStore {
    static let host = HostIdentity(boot: "a-boot", process: 71, start: 12)

    private(set) var store: (any RequestStore)?
    let directory: TemporaryDirectory?
    private var address: PostgresAddress?

    init(_ store: any RequestStore, in directory: TemporaryDirectory?) {
        self.store = store
        self.directory = directory
    }

    convenience init(in directory: TemporaryDirectory) throws {
        self.init(
            try SQLiteStore.open(directory: directory.path("store"), as: .host(Self.host)),
            in: directory)
    }

    convenience init(at address: PostgresAddress) throws {
        self.init(try PostgresStore.open(address, creates: true), in: nil)
        self.address = address
    }

    func reopen() throws {
        if let address { store = try PostgresStore.open(address, creates: false) }
        guard let directory else { return }
        store = nil
        store = try SQLiteStore.open(directory: directory.path("store"), as: .host(Self.host))
    }

    @discardableResult
    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
        try store!.write { store throws(StoreFault) in try typed { try body(store) } }
    }

    func read<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
        try store!.read { store throws(StoreFault) in try typed { try body(store) } }
    }

    /// Puts requests in, and returns them as they are in the store.
    @discardableResult
    func insert(_ requests: [Request], payload: [UInt8] = []) throws -> [Request] {
        try write { store in
            var inserted: [Request] = []
            for var request in requests {
                request.id = try store.insert(request, payload: payload)
                inserted.append(request)
            }
            return inserted
        }
    }

    @discardableResult
    func insert(_ request: Request, payload: [UInt8] = []) throws -> Request {
        try insert([request], payload: payload)[0]
    }
}

/// What the tests throw in the middle.
let sudden = StoreFault(.full, "thrown by a test")

/// A request, with what a test wants to be different.
func sample(
    _ identifier: String = "org.example.tidy", at now: Int64 = 1_000, notBefore: Int64 = 1_000,
    _ change: (inout Request) -> Void = { _ in }
) -> Request {
    var request = Request(
        RequestDescription(identifier), payloadBytes: 0, at: now, notBefore: notBefore)
    change(&request)
    return request
}

extension StoreTransaction {
    /// All of them.
    func pendingCount(_ scope: PendingScope) throws(StoreFault) -> Int {
        try pendingCount(scope, atMost: .max)
    }

    /// `nested` for bodies with expectations.
    func part<Result>(_ body: () throws -> Result) throws -> Result {
        try nested { () throws(StoreFault) in try typed(body) }
    }
}

/// Tests throw nothing but faults, and need not say so each time.
private func typed<Result>(_ body: () throws -> Result) throws(StoreFault) -> Result {
    do {
        return try body()
    } catch let fault as StoreFault {
        throw fault
    } catch {
        fatalError("a test threw \(error) in a transaction")
    }
}
