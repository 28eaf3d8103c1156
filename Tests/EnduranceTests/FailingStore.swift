// SPDX-License-Identifier: Apache-2.0
import Persistence
import RequestFaults
import Scheduling
import Synchronization

/// A store on disk that fails when a test wants it to.
final class FailingStore: Sendable {
    private struct State {
        var reached = 0
        var failing: Range<Int> = 0..<0
        var kind = StoreFault.Kind.io
        var failed = 0
    }

    private let state = Mutex(State())
    private let directory: String

    init(in directory: String) { self.directory = directory }

    /// Fails at the points with those numbers, counted from 0.
    func fail(at points: Range<Int>, _ kind: StoreFault.Kind = .io) {
        state.withLock {
            $0.failing = points
            $0.kind = kind
        }
    }

    /// Points that were reached so far.
    var reached: Int { state.withLock { $0.reached } }
    /// How often it failed.
    var failed: Int { state.withLock { $0.failed } }

    func open(as host: HostIdentity) throws(StoreFault) -> any RequestStore {
        let store = try SQLiteStore.open(directory: directory, as: .host(host))
        return TappedStore(store) { [self] point throws(StoreFault) in try reach(point) }
    }

    private func reach(_ point: StorePoint) throws(StoreFault) {
        let kind = state.withLock { state -> StoreFault.Kind? in
            defer { state.reached += 1 }
            guard state.failing.contains(state.reached) else { return nil }
            state.failed += 1
            return state.kind
        }
        if let kind { throw StoreFault(kind, "the test's store fails at \(point.name)") }
    }
}
