// SPDX-License-Identifier: Apache-2.0
import Persistence
import Scheduling

/// All that is in a store, read beside whoever uses it, or after.
struct StoreContents {
    let requests: [Request]
    let attempts: [RequestID: [Attempt]]
    let journal: [JournalEntry]
    /// What an integrity check says is wrong.
    let damage: [String]

    init(of directory: String) throws {
        let store: any RequestStore
        var isOnServer = false
        switch try StoreAddress(directory) {
        case .directory(let path):
            store = try SQLiteStore.open(directory: path, as: .client(creates: false))
        case .server(let address):
            store = try PostgresStore.open(address, creates: false)
            isOnServer = true
        }
        (requests, attempts, journal) = try store.read { (transaction) throws(StoreFault) in
            let requests = try transaction.requests(RequestFilter(limit: .max))
            var attempts: [RequestID: [Attempt]] = [:]
            for request in requests {
                attempts[request.id] = try transaction.attempts(of: request.id, limit: .max)
            }
            return (
                requests, attempts, try transaction.journal(after: 0, of: nil, limit: .max)
            )
        }
        // Every row was read.
        damage = isOnServer ? [] : try SQLiteStore.integrityCheck(directory: directory)
    }

    /// How many requests are in each state.
    var counts: [String: Int] {
        Dictionary(requests.map { ($0.state.name, 1) }, uniquingKeysWith: +)
    }
}
