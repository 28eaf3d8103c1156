// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import CurfewValues
import Glibc
import PluginBridge
import Scheduling
import Service

/// The thread that reads a store for the control socket, so that a long list delays neither submissions nor
/// other connections. It also makes changes that one request is about, and watches the store for those who wait for
/// something in it or follow the journal.
final class ControlThread: @unchecked Sendable {
    // Sendable: `thread` is used by `stop` alone, the store and the waits by the thread; the rest is
    // locked or constant.

    typealias Work = (StoreClient) throws(CommandError) -> HTTPAnswer
    /// Looks whether what a call waits for has come about; returns nil if it has not. With true its time is up, and
    /// an answer is due.
    typealias Look = (StoreClient, _ isLate: Bool) throws(CommandError) -> HTTPAnswer?

    private enum Job {
        case work(HTTPCall, Work)
        case tell(HTTPCall, () throws(CommandError) -> HTTPAnswer)
        case wait(Wait)
        case follow(HTTPCall, RequestID?, after: UInt64)
        case run(@Sendable () -> Void)
        case recheck(@Sendable (HTTPPeer) -> Rights)
    }

    /// A call that waits for something in the store.
    private struct Wait {
        let call: HTTPCall
        let look: Look
        /// CLOCK_MONOTONIC.
        let deadline: UInt64
    }

    private struct State {
        var jobs: [Job] = []
        var isStopping = false
    }

    /// The calls that may have a job at a time.
    private static let limit = 1_024
    /// The calls that may wait for something in the store: a part of the connections, so that others get in.
    private static let waitLimit = 512
    static let stopping = HTTPFault(
        503, "stopping", "the host ends",
        help: ["running tasks have their grace to end; what is not over stays in the store"])
    private var pause = StorePause()

    private let directory: String
    private let state = Locked(State())
    private let signal = csys_eventfd()
    private var thread: UInt64 = 0
    private var store: StoreClient?
    private var waits: [Wait] = []
    private var streams = JournalStreams()
    private var watch: Int32 = -1

    init(_ directory: String) { self.directory = directory }

    deinit { csys_close(signal) }

    /// Returns false if the system can start no thread.
    func start() -> Bool {
        ThreadBody.start(
            {
                csys_thread_name("curfew-read")
                self.run()
            }, 0, &thread)
    }

    /// Whether calls are answered with 503 from now on.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Answers calls that wait with 503, and ends the thread.
    func stop() {
        state.withLock { $0.isStopping = true }
        csys_eventfd_signal(signal)
        _ = csys_thread_join_until(thread, .max)
    }

    /// Has a call answered on the thread.
    func answer(_ call: HTTPCall, _ work: @escaping Work) { add(.work(call, work), call) }

    /// Has a call answered on the thread, without the store.
    func tell(_ call: HTTPCall, _ work: @escaping () throws(CommandError) -> HTTPAnswer) {
        add(.tell(call, work), call)
    }

    /// Has a call answered once `look` has an answer, at the latest at a CLOCK_MONOTONIC time. It looks at once, and
    /// after changes of the store.
    func wait(_ call: HTTPCall, until deadline: UInt64, _ look: @escaping Look) {
        add(.wait(Wait(call: call, look: look, deadline: deadline)), call)
    }

    /// Answers a call with the entries of the journal after a number, and those that come.
    func follow(_ call: HTTPCall, of request: RequestID?, after position: UInt64) {
        add(.follow(call, request, after: position), call)
    }

    /// Has something done on the thread that no call waits for; left out where too much is waiting.
    func run(_ work: @escaping @Sendable () -> Void) {
        let isAdded = state.withLock { state in
            guard !state.isStopping, state.jobs.count < Self.limit else { return false }
            state.jobs.append(.run(work))
            return true
        }
        if isAdded { csys_eventfd_signal(signal) }
    }

    /// Ends what other users follow, and answers what they wait for, who may not any more: roles have changed.
    func recheck(_ rights: @escaping @Sendable (HTTPPeer) -> Rights) {
        state.withLock { $0.jobs.append(.recheck(rights)) }
        csys_eventfd_signal(signal)
    }

    private func recheck(now rights: (HTTPPeer) -> Rights) {
        streams.end { rights($0).reads }
        for wait in waits {
            let rights = rights(wait.call.request.peer)
            // The others are asked again once there is an answer.
            if !rights.reads, !rights.submits {
                wait.call.answer(
                    HTTPFault(403, "role", "this user has no role with this host any more"))
            }
        }
        waits.removeAll { $0.call.isOver }
    }

    private func add(_ job: Job, _ call: HTTPCall) {
        let fault = state.withLock { state -> HTTPFault? in
            if state.isStopping { return Self.stopping }
            guard state.jobs.count < Self.limit else {
                return HTTPFault(
                    429, "busy", "too many calls wait for the store", help: ["try again"])
            }
            state.jobs.append(job)
            return nil
        }
        if let fault { call.answer(fault) } else { csys_eventfd_signal(signal) }
    }

    // MARK: On the thread

    private func run() {
        while true {
            csys_eventfd_drain(signal)
            let (jobs, isStopping) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isStopping)
            }
            for job in jobs {
                switch job {
                case .work(let call, let work): answer(call, with: work)
                case .tell(let call, let work):
                    do throws(CommandError) {
                        call.answer(try work())
                    } catch {
                        call.answer(HTTPFault(error))
                    }
                case .run(let work): work()
                case .recheck(let rights): recheck(now: rights)
                case .wait(let wait): add(wait)
                case .follow(let call, let request, let position):
                    add(call, of: request, after: position)
                }
            }
            if isStopping { return finish() }
            watchStore()
            lookAtWaits()
            goOnWithStreams()
            rest()
        }
    }

    private func answer(_ call: HTTPCall, with work: Work) {
        do throws(CommandError) {
            call.answer(try work(try opened()))
        } catch {
            if case .storeUnavailable = error.code { store = nil }
            call.answer(HTTPFault(error))
        }
    }

    private func opened() throws(CommandError) -> StoreClient {
        if let store { return store }
        let new = try StorePlace.translated { () throws(StoreFault) in
            try StoreClient(directory: directory)
        }
        store = new
        return new
    }

    private func add(_ wait: Wait) {
        waits.removeAll { $0.call.isOver }
        guard waits.count < Self.waitLimit else {
            return wait.call.answer(
                HTTPFault(
                    429, "busy", "\(Self.waitLimit) calls wait already",
                    help: ["try again once one has been answered"]))
        }
        waits.append(wait)
    }

    private func add(_ call: HTTPCall, of request: RequestID?, after position: UInt64) {
        guard !streams.isFull else {
            return call.answer(
                HTTPFault(
                    429, "busy", "\(JournalStreams.limit) clients follow the journal already",
                    help: ["try again once one has left"]))
        }
        let peer = call.request.peer
        guard peer.user == geteuid() || streams.count(of: peer.user) < JournalStreams.userLimit
        else {
            return call.answer(
                HTTPFault(
                    429, "busy", "\(JournalStreams.userLimit) clients of this user follow already",
                    help: ["try again once one has left"]))
        }
        let signal = self.signal
        let stream = HTTPStream { csys_eventfd_signal(signal) }
        streams.add(stream, peer, of: request, after: position)
        call.answer(HTTPAnswer(stream, "text/event-stream"))
    }

    /// Watches the store while a call waits for a change. Called before the store is read, so that no change is
    /// missed.
    private func watchStore() {
        guard isAwaited else { return }
        if watch < 0, let store = try? opened() { watch = csys_file_watch(store.watchedFile) }
        if csys_file_watch_drain(watch) { pause.begin() }
    }

    private var isAwaited: Bool { !waits.isEmpty || !streams.isEmpty }

    private func goOnWithStreams() {
        guard !streams.isEmpty else { return }
        do throws(CommandError) {
            try streams.goOn(try opened(), at: csys_monotonic_ns())
        } catch {
            // They come again with the number of their last event.
            streams.end()
        }
    }

    private func lookAtWaits() {
        guard !waits.isEmpty else { return }
        let now = csys_monotonic_ns()
        waits = waits.filter { wait in
            if wait.call.isOver { return false }
            do throws(CommandError) {
                guard let answer = try wait.look(try opened(), wait.deadline <= now) else {
                    return true
                }
                wait.call.answer(answer)
            } catch {
                wait.call.answer(HTTPFault(error))
            }
            return false
        }
    }

    private func rest() {
        if !isAwaited, watch >= 0 {
            csys_close(watch)
            watch = -1
        }
        let soonest = min(waits.map(\.deadline).min() ?? .max, streams.nextBeat)
        let look = isAwaited ? csys_monotonic_ns() &+ pause.next() : .max
        let descriptors = watch < 0 ? [signal] : [signal, watch]
        csys_wait_any_readable(descriptors, Int32(descriptors.count), min(soonest, look))
    }

    private func finish() {
        for wait in waits { wait.call.answer(Self.stopping) }
        waits = []
        streams.end()
        if watch >= 0 { csys_close(watch) }
        store = nil
    }
}
