// SPDX-License-Identifier: Apache-2.0
import CSystem
package import PluginBridge
import Scheduling
import Synchronization

/// The loop that delivers a host's events and does its work, on one thread at a time: a thread of the
/// host's, or the embedder's.
package final class EventLoop: @unchecked Sendable {
    // Sendable: the parts of the loop's thread are used by the one that has set `running`; everything
    // else is atomic or constant.

    package let queue: EventQueue
    let directory: EventDirectory
    let phase: HostPhase
    let threads: HostThreads
    /// The embedder runs the loop.
    package let isEmbedders: Bool
    private let delivery: EventDelivery
    private let works: LoopWorkRunner
    private let children: ForkedChildren
    private let violations: ContractViolations

    private let running = Atomic<Bool>(false)
    /// The thread that ran the loop last, or 0.
    private let runner = Atomic<UInt64>(0)
    /// No thread runs the loop any more.
    private let ended = Atomic<Bool>(false)
    /// A run inside a delivery delivers all that stood before the outer one's mark. Of the loop's
    /// thread.
    private var runNumber: UInt64 = 0

    init(
        _ queue: EventQueue, _ directory: EventDirectory, _ tasks: TaskTable, _ phase: HostPhase,
        _ threads: HostThreads, _ children: ForkedChildren, _ violations: ContractViolations,
        isEmbedders: Bool
    ) {
        self.queue = queue
        self.directory = directory
        self.phase = phase
        self.threads = threads
        self.children = children
        self.violations = violations
        self.isEmbedders = isEmbedders
        delivery = EventDelivery(queue, directory, tasks)
        works = LoopWorkRunner(delivery)
    }

    // MARK: The host's own thread

    /// Starts the thread that runs the loop. Returns false when there is none to be had.
    func start() -> Bool {
        let raw = Unmanaged.passRetained(self)
        let isStarted = threads.start(
            {
                csys_thread_name("curfew-events")
                Unmanaged<EventLoop>.fromOpaque($0!).takeRetainedValue().runUntilClosed()
            }, raw.toOpaque())
        if !isStarted { raw.release() }
        return isStarted
    }

    private func runUntilClosed() {
        while true {
            _ = run(limit: 0, patient: true)
            phase.progressed()
            // Between the run, which may have swallowed the last signal, and the sleep.
            if phase.isClosed { break }
            csys_wait_readable(queue.descriptor, .max)
        }
        _ = run(limit: 0)
        end()
        phase.progressed()
    }

    /// For a manual clock: returns once nothing waits to be delivered by the host's own thread.
    func settle() {
        guard !isEmbedders else { return }
        while !isQuiet, !phase.isClosed { csys_yield() }
    }

    // MARK: The calling thread

    /// Whether the calling thread is inside a delivery of this loop.
    package var isLoopThread: Bool { threads.role == .loop }

    /// The task of the event that this thread is delivering, or 0.
    package var sender: UInt64 { isLoopThread ? delivery.task : 0 }

    /// Whether this is the thread that ran the loop last, or any while none has.
    private var isRunner: Bool {
        let runner = runner.load(ordering: .relaxed)
        return runner == 0 || runner == csys_thread_number()
    }

    /// Whether nothing waits and nothing is being delivered.
    var isQuiet: Bool { queue.isEmpty && !running.load(ordering: .sequentiallyConsistent) }

    // MARK: Running

    /// Rounds of looking before the host's own thread sleeps, some 50 us. Waking it costs more than
    /// most events do; it yields now and then, so that other threads raise something to find, and
    /// looks less than once a microsecond, as each look takes the memory away from a thread that raises.
    private static let searchRounds = 64
    private static let yieldEvery = 8
    private static let pausesBetween = 16

    /// Deliveries inside each other's receivers, at most; each stands on the stack.
    private static let nestingLimit = 256

    /// Whether a wait on the loop's thread may not run it once more.
    var isTooDeep: Bool { isLoopThread && delivery.nesting >= Self.nestingLimit }

    /// Delivers waiting events on this thread, for a host whose loop the embedder runs, or one that is
    /// shut down. Returns how many.
    package func dispatch(limit: UInt32) -> Result<UInt32, BridgeError> {
        guard isEmbedders || phase.isClosed else {
            return .failure(
                BridgeError(
                    .wrongState,
                    "a thread of the host's own turns its loop; make the host with its own loop"))
        }
        return run(limit: limit)
    }

    /// Delivers up to `limit` events (0: all that wait when it begins) on the calling thread.
    /// `patient`: the host's own thread, which goes on while more come.
    func run(limit: UInt32, patient: Bool = false) -> Result<UInt32, BridgeError> {
        guard threads.role == .other else {
            return .failure(
                BridgeError(
                    .wrongThread, "events are not dispatched from inside the host's own calls"))
        }
        guard takeLoop() else {
            return .failure(BridgeError(.wrongThread, "another thread is dispatching events"))
        }
        // A shutdown may wait for that.
        defer { running.store(false, ordering: .sequentiallyConsistent) }
        return .success(deliverWaiting(limit: limit, patient: patient))
    }

    /// Makes the calling thread the loop's, unless another one is.
    private func takeLoop() -> Bool {
        guard !running.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        runner.store(csys_thread_number(), ordering: .relaxed)
        return true
    }

    /// Runs the loop for a thread that waits, if it is the loop's own: inside a delivery, or, where
    /// the embedder runs it, the thread that did so last (any thread while none has). Returns
    /// false when the loop is another thread's.
    func runWhileWaiting() -> Bool {
        if isLoopThread {
            _ = deliverWaiting(limit: 0, patient: false)
            return true
        }
        guard isEmbedders, isRunner else { return false }
        if case .success = run(limit: 0) { return true }
        return false
    }

    private func deliverWaiting(limit: UInt32, patient: Bool) -> UInt32 {
        csys_eventfd_drain(queue.descriptor)
        children.report(to: violations)
        // Without a limit, what is raised meanwhile waits for the next run: a handler that
        // launches itself from its done event must not keep the embedder's loop for ever.
        let mark = queue.mark()
        var count: UInt32 = 0
        let wasAttentive = delivery.isAttentive
        runNumber &+= 1
        let mine = runNumber
        threads.during(.loop) {
            var round = 0
            while patient
                || (limit == 0 ? runNumber == mine && !queue.isPast(mark) : count < limit)
            {
                guard let event = queue.take() else {
                    if queue.isEmpty {
                        round += 1
                        guard patient, round < Self.searchRounds else { break }
                    }
                    if round % Self.yieldEvery == 1 {
                        guard threads.cores.yield() else { break }
                    } else {
                        for _ in 0..<Self.pausesBetween { csys_pause() }
                    }
                    continue
                }
                round = 0
                if let work = delivery.deliver(event) { perform(work) }
                count &+= 1
                delivery.betweenEvents()
            }
        }
        delivery.runEnded(wasAttentive)
        queue.loopSleeps()
        return count
    }

    // MARK: Work

    /// Queues work for the loop's thread. Never refused: once no thread runs the loop any more, the
    /// calling thread does it.
    package func post(_ body: @escaping @Sendable () -> Void) {
        queue.add(LoopWork(body))
        if ended.load(ordering: .sequentiallyConsistent) { doRemainingWork() }
    }

    /// Queues work that counts as an event that waits. `BUSY` where too many do.
    func postLimited(_ body: @escaping @Sendable () -> Void) -> Status {
        let status = queue.addLimited(LoopWork(body))
        if status == .ok, ended.load(ordering: .sequentiallyConsistent) { doRemainingWork() }
        return status
    }

    private func perform(_ node: UnsafeMutablePointer<EventNode>) {
        if let work = queue.takeWork(node) { works.perform(work) }
    }

    /// Does work on the loop's thread, which this has to be.
    func perform(_ work: LoopWork) { works.perform(work) }

    /// On the loop's thread: whether it is inside work.
    var isInsideWork: Bool { works.isWorking }

    /// Runs `body` if this is the loop's thread: inside a delivery, or, where the embedder runs the
    /// loop, outside of it too, on the thread that ran it last (any while none has). Nil elsewhere.
    package func onLoop<T>(_ body: () -> T) -> T? {
        if isLoopThread { return works.directly(body) }
        guard isEmbedders, threads.role == .other, isRunner, takeLoop() else { return nil }
        defer { running.store(false, ordering: .releasing) }
        let wasAttentive = delivery.isAttentive
        defer { delivery.calmDown(wasAttentive) }
        return threads.during(.loop) { works.directly(body) }
    }

    /// No thread runs the loop from now on: the work there is, and later work, is done by the thread
    /// that calls this or brings it.
    func end() {
        ended.store(true, ordering: .sequentiallyConsistent)
        doRemainingWork()
    }

    /// Does the work that waits after a shutdown, on the thread whose loop it is, which may not
    /// dispatch any more.
    func doRemainingWorkIfMine() {
        if isEmbedders, isRunner { doRemainingWork() }
    }

    private func doRemainingWork() {
        guard threads.role != .loop else { return }
        while queue.hasWork {
            // The thread that has the loop looks again afterwards, and sees what was counted before.
            guard !running.exchange(true, ordering: .sequentiallyConsistent) else { return }
            var others: [UnsafeMutableRawPointer] = []
            let wasAttentive = delivery.isAttentive
            threads.during(.loop) {
                while queue.hasWork {
                    guard let event = queue.take() else {
                        if queue.isEmpty { break }
                        csys_pause()
                        continue
                    }
                    if let work = delivery.work(event) {
                        perform(work)
                    } else {
                        others.append(event)
                    }
                }
            }
            // Events stay for a thread that dispatches.
            for event in others { queue.putBack(event) }
            delivery.calmDown(wasAttentive)
            running.store(false, ordering: .sequentiallyConsistent)
        }
    }

    // MARK: Ending

    /// Ends a subscription, and waits until its receiver has returned, unless the caller is inside
    /// it.
    package func unsubscribe(_ number: UInt64) -> Status {
        guard let subscription = directory.remove(number) else { return .notFound }
        defer { subscription.letGo() }
        if !isLoopThread { delivery.receiver.wait(for: subscription) }
        return .ok
    }

    /// Ends every wait with `CLOSING`, and every later one.
    func close() {
        directory.close()
        // A thread that waits on the loop looks again.
        csys_eventfd_signal(queue.descriptor)
    }
}
