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
        let store = try SQLiteStore.open(directory: directory, as: .client(creates: false))
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
        damage = try SQLiteStore.integrityCheck(directory: directory)
    }

    /// How many requests are in each state.
    var counts: [String: Int] {
        Dictionary(requests.map { ($0.state.name, 1) }, uniquingKeysWith: +)
    }
}
