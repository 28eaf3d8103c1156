// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The workers of one kind, and the handlers that are ready to run.
///
/// A handler is listed once for each place it has taken; a worker that takes it runs its tasks
/// without returning here in between. Calls that may start a thread take the engine.
final class WorkerPool: @unchecked Sendable {
    // Sendable: the queues are locked, the counts atomic, the rest constant.

    private struct State {
        /// Oldest first, starting at `first`.
        var ready: [HandlerQueuePointer] = []
        var first = 0
        var idle: [UnsafeMutablePointer<WorkerCell>] = []
        var alive = 0
        var stopping = false

        var isReady: Bool { first < ready.count }

        mutating func next() -> HandlerQueuePointer? {
            guard isReady else { return nil }
            defer {
                first += 1
                if first == ready.count {
                    ready.removeAll(keepingCapacity: true)
                    first = 0
                }
            }
            return ready[first]
        }
    }

    /// The wake-up that is due after the lock is released.
    private enum Call {
        case none
        case wake(UnsafeMutablePointer<WorkerCell>)
        case start
    }

    let kind: TaskKind
    let workers: HostConfiguration.Workers
    private let state = Locked(State())
    /// Number of ready handlers, readable without the lock.
    let readyCount = Atomic<Int>(0)
    /// Workers that look for work; while there is one, no other is woken.
    private let searching = Atomic<Int>(0)
    let wakeups = Atomic<UInt64>(0)

    init(_ kind: TaskKind, _ workers: HostConfiguration.Workers) {
        self.kind = kind
        self.workers = workers
    }

    /// Number of threads, without lost ones.
    var alive: Int { state.withLock { $0.alive } }

    /// Number of threads that wait for a task.
    var idle: Int { state.withLock { $0.idle.count } }

    /// Adds a handler that has taken a place and needs a worker.
    func add(_ handler: HandlerQueuePointer, for engine: TaskEngine) {
        let call = state.withLock { state -> Call in
            state.ready.append(handler)
            readyCount.store(state.ready.count - state.first, ordering: .sequentiallyConsistent)
            return nextCall(&state)
        }
        carryOut(call, engine)
    }

    /// Decides which worker to wake or start, if none is searching.
    /// That worker counts as searching at once, so only one wake-up is in progress.
    private func nextCall(_ state: inout State) -> Call {
        guard state.isReady, searching.load(ordering: .sequentiallyConsistent) == 0 else {
            return .none
        }
        if let worker = state.idle.popLast() {
            searching.wrappingAdd(1, ordering: .sequentiallyConsistent)
            return .wake(worker)
        }
        guard state.alive < workers.count else { return .none }
        state.alive += 1
        searching.wrappingAdd(1, ordering: .sequentiallyConsistent)
        return .start
    }

    /// Starts a worker if there is none. Returns false when no thread can be created.
    func hasWorker(for engine: TaskEngine) -> Bool {
        carryOut(
            state.withLock { state in
                guard state.alive == 0, !state.stopping else { return .none }
                state.alive += 1
                searching.wrappingAdd(1, ordering: .sequentiallyConsistent)
                return .start
            }, engine)
    }

    @discardableResult
    private func carryOut(_ call: Call, _ engine: TaskEngine) -> Bool {
        switch call {
        case .none: break
        case .wake(let cell):
            wakeups.wrappingAdd(1, ordering: .relaxed)
            cell.pointee.wake.store(1, ordering: .sequentiallyConsistent)
            csys_futex_wake(cell.wakeWord, 1)
        case .start:
            guard !Worker.start(in: self, for: engine) else { return true }
            let (last, call) = state.withLock { state in
                state.alive -= 1
                searching.wrappingSubtract(1, ordering: .sequentiallyConsistent)
                // No other worker was woken while this one counted as searching.
                if state.isReady, let worker = state.idle.popLast() {
                    searching.wrappingAdd(1, ordering: .sequentiallyConsistent)
                    return (false, Call.wake(worker))
                }
                return (state.alive == 0, Call.none)
            }
            // No worker will come: the next launch tries again if the places are free.
            if last { clear(for: engine) }
            carryOut(call, engine)
            engine.log(
                .error, nil, 0,
                "no thread could be started for \(kind.name) handlers"
                    + (last ? "; their tasks wait, and are tried again with the next launch" : ""))
            return false
        }
        return true
    }

    /// Removes the handlers that no worker has taken; used when all workers may be stuck.
    ///
    /// - Parameter queues: keep the queues of plugins' subs.
    func clear(besides queues: Bool = false, for engine: TaskEngine) {
        let left = state.withLock { state in
            let ready = state.ready[state.first...]
            let kept = queues ? ready.filter { $0.pointee.code.isQueue } : []
            defer {
                state.ready = kept
                state.first = 0
                readyCount.store(kept.count, ordering: .sequentiallyConsistent)
            }
            return queues ? ready.filter { !$0.pointee.code.isQueue } : Array(ready)
        }
        for handler in left {
            engine.leavePlace(handler)
        }
    }

    /// Takes the next handler for a searching worker. On nil the worker stays searching.
    func take(for engine: TaskEngine) -> HandlerQueuePointer? {
        guard readyCount.load(ordering: .sequentiallyConsistent) > 0 else { return nil }
        let (handler, call) = state.withLock { state -> (HandlerQueuePointer?, Call) in
            guard let handler = state.next() else { return (nil, .none) }
            return (handler, foundWork(&state))
        }
        carryOut(call, engine)
        return handler
    }

    private func foundWork(_ state: inout State) -> Call {
        readyCount.store(state.ready.count - state.first, ordering: .sequentiallyConsistent)
        searching.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        // The last searcher that finds work wakes another one.
        return nextCall(&state)
    }

    /// The next action of a searching worker that has found no work.
    enum Rest {
        case work(HandlerQueuePointer)
        /// Sleep on the cell's word; the thread that wakes the worker counts it as searching.
        case sleep
        case stop
    }

    func rest(_ cell: UnsafeMutablePointer<WorkerCell>, for engine: TaskEngine) -> Rest {
        let (rest, call) = state.withLock { state -> (Rest, Call) in
            if let handler = state.next() { return (.work(handler), foundWork(&state)) }
            searching.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            if state.stopping {
                state.alive -= 1
                return (.stop, .none)
            }
            cell.pointee.wake.store(0, ordering: .sequentiallyConsistent)
            state.idle.append(cell)
            return (.sleep, .none)
        }
        carryOut(call, engine)
        return rest
    }

    /// Counts a worker that has left its handler as searching.
    func search() { searching.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// Removes a lost worker; another one may be started in its place.
    func lose(for engine: TaskEngine) {
        let call = state.withLock { state -> Call in
            state.alive -= 1
            return nextCall(&state)
        }
        carryOut(call, engine)
    }

    /// Makes every worker end once no handler is ready.
    func stop() {
        let sleeping = state.withLock { state in
            state.stopping = true
            defer { state.idle = [] }
            searching.wrappingAdd(state.idle.count, ordering: .sequentiallyConsistent)
            return state.idle
        }
        for cell in sleeping {
            cell.pointee.wake.store(1, ordering: .sequentiallyConsistent)
            csys_futex_wake(cell.wakeWord, 1)
        }
    }
}
