// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The workers of one kind, and the handlers that have something for them.
///
/// A handler stands here once for each place it has taken; a worker that takes it runs its tasks one
/// after another, without coming back here in between.
final class Lane: @unchecked Sendable {
    // Sendable: the queues are locked, the counts atomic, the rest constant.

    private struct State {
        /// Oldest first, from `first` on.
        var ready: [HandlerCellPointer] = []
        var first = 0
        var idle: [UnsafeMutablePointer<WorkerCell>] = []
        var alive = 0
        var stopping = false

        var isReady: Bool { first < ready.count }

        mutating func next() -> HandlerCellPointer? {
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

    /// What to do, once the lock is left, so that somebody looks for work.
    private enum Call {
        case nobody
        case wake(UnsafeMutablePointer<WorkerCell>)
        case start
    }

    let kind: TaskKind
    let workers: HostConfiguration.Workers
    private unowned(unsafe) let host: HostRuntime
    private let state = Locked(State())
    /// How many handlers are ready, to look at without the lock.
    let readyCount = Atomic<Int>(0)
    /// Workers that look for work: while there is one, nobody has to be woken.
    private let searching = Atomic<Int>(0)
    let wakeups = Atomic<UInt64>(0)

    init(kind: TaskKind, host: HostRuntime, workers: HostConfiguration.Workers) {
        self.kind = kind
        self.host = host
        self.workers = workers
    }

    /// Threads that run or wait here; lost ones are not counted.
    var alive: Int { state.withLock { $0.alive } }

    /// A handler has taken a place and wants a worker.
    func add(_ handler: HandlerCellPointer) {
        let call = state.withLock { state -> Call in
            state.ready.append(handler)
            readyCount.store(state.ready.count - state.first, ordering: .sequentiallyConsistent)
            return callSomebody(&state)
        }
        carryOut(call)
    }

    /// Somebody has to look for work unless somebody does. A worker that is woken or started counts
    /// as searching from now on, so that one wake is on its way at a time.
    private func callSomebody(_ state: inout State) -> Call {
        guard state.isReady, searching.load(ordering: .sequentiallyConsistent) == 0 else {
            return .nobody
        }
        if let worker = state.idle.popLast() {
            searching.wrappingAdd(1, ordering: .sequentiallyConsistent)
            return .wake(worker)
        }
        guard state.alive < workers.count else { return .nobody }
        state.alive += 1
        searching.wrappingAdd(1, ordering: .sequentiallyConsistent)
        return .start
    }

    /// There is a worker, or one was started now. False: the system has no thread for it.
    func hasWorker() -> Bool {
        carryOut(
            state.withLock { state in
                guard state.alive == 0, !state.stopping else { return .nobody }
                state.alive += 1
                searching.wrappingAdd(1, ordering: .sequentiallyConsistent)
                return .start
            })
    }

    /// False where a worker could not be started.
    @discardableResult
    private func carryOut(_ call: Call) -> Bool {
        switch call {
        case .nobody: break
        case .wake(let cell):
            wakeups.wrappingAdd(1, ordering: .relaxed)
            cell.pointee.wake.store(1, ordering: .sequentiallyConsistent)
            csys_futex_wake(cell.wakeWord, 1)
        case .start:
            guard !Worker.start(in: self, host: host) else { return true }
            let (last, call) = state.withLock { state in
                state.alive -= 1
                searching.wrappingSubtract(1, ordering: .sequentiallyConsistent)
                // While this one counted as searching, nobody else was called.
                if state.isReady, let worker = state.idle.popLast() {
                    searching.wrappingAdd(1, ordering: .sequentiallyConsistent)
                    return (false, Call.wake(worker))
                }
                return (state.alive == 0, Call.nobody)
            }
            // Nobody will come for those that are ready: without their places the next launch tries
            // again.
            if last { clear() }
            carryOut(call)
            host.log(
                .error, nil, 0,
                "no thread could be started for \(kind.name) handlers"
                    + (last ? "; their tasks wait, and are tried again with the next launch" : ""))
            return false
        }
        return true
    }

    /// Takes away what nobody has come for: the gates are shut, and the workers may all be stuck.
    /// `besides`: leaves the queues of plugins' subs.
    func clear(besides queues: Bool = false) {
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
            handler.pointee.active.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// A worker that is searching takes the next handler; nil leaves it searching.
    func take() -> HandlerCellPointer? {
        guard readyCount.load(ordering: .sequentiallyConsistent) > 0 else { return nil }
        let (handler, call) = state.withLock { state -> (HandlerCellPointer?, Call) in
            guard let handler = state.next() else { return (nil, .nobody) }
            return (handler, foundWork(&state))
        }
        carryOut(call)
        return handler
    }

    private func foundWork(_ state: inout State) -> Call {
        readyCount.store(state.ready.count - state.first, ordering: .sequentiallyConsistent)
        searching.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        // The last searcher that finds work sees to it that more of it is looked for.
        return callSomebody(&state)
    }

    /// What a searching worker does that has found nothing for a while.
    enum Rest {
        case work(HandlerCellPointer)
        /// Sleep on the cell's word; whoever wakes it has counted it as searching.
        case sleep
        case stop
    }

    func rest(_ cell: UnsafeMutablePointer<WorkerCell>) -> Rest {
        let (rest, call) = state.withLock { state -> (Rest, Call) in
            if let handler = state.next() { return (.work(handler), foundWork(&state)) }
            searching.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            if state.stopping {
                state.alive -= 1
                return (.stop, .nobody)
            }
            cell.pointee.wake.store(0, ordering: .sequentiallyConsistent)
            state.idle.append(cell)
            return (.sleep, .nobody)
        }
        carryOut(call)
        return rest
    }

    /// A worker has left its handler and looks for the next one.
    func search() { searching.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// A worker was given up: another may be started in its place.
    func lose() {
        let call = state.withLock { state -> Call in
            state.alive -= 1
            return callSomebody(&state)
        }
        carryOut(call)
    }

    /// Tells every worker to leave once nothing is ready.
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
