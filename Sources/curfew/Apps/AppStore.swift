// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling
import Service

/// The store of an app, as one looks at it without opening it for writing.
struct AppStore {
    /// Whether the app runs: it is the host of its store.
    let isOpen: Bool
    /// Its first request, due or not; nil if there is none, and while the app runs, which knows better.
    let first: (queue: RequestQueue, due: AppStartStateMachine.Due)?
    /// Why it cannot be read: lower case, no full stop.
    let fault: String?

    /// The most queues that are looked at.
    private static let limit = 10_000

    init(_ directory: String) {
        var isOpen = false
        var first: (queue: RequestQueue, due: AppStartStateMachine.Due)?
        var fault: String?
        do throws(StoreFault) {
            isOpen = try StoreClient.host(of: directory) != nil
            if !isOpen { first = try Self.first(of: directory) }
        } catch {
            // An app that has not submitted anything yet has none.
            fault = error.kind == .absent ? nil : error.message
        }
        (self.isOpen, self.first, self.fault) = (isOpen, first, fault)
    }

    private static func first(
        of directory: String
    ) throws(StoreFault) -> (queue: RequestQueue, due: AppStartStateMachine.Due)? {
        try StoreClient.heads(of: directory, limit: limit)
            .min { ($0.head.notBefore, $0.head.id) < ($1.head.notBefore, $1.head.id) }
            .map {
                ($0.queue, AppStartStateMachine.Due(request: $0.head.id, date: $0.head.notBefore))
            }
    }
}
