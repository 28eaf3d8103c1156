// SPDX-License-Identifier: Apache-2.0
import CSystem
package import PluginBridge
import Scheduling
import Synchronization

/// The loop that delivers a host's events and runs its work, on one thread at a time.
///
/// The thread belongs to the host or to the embedder.
package final class EventLoop: @unchecked Sendable {
    // Sendable: the thread that has set `running` owns the variables; the rest is atomic or
    // constant.

    package let queue: EventQueue
    let directory: EventDirectory
    let phase: HostPhase
    let threads: HostThreads
    package let isEmbedders: Bool
    private let delivery: EventDelivery
    private let works: LoopWorkRunner
    private let children: ForkedChildren
    private let violations: ContractViolations

    private let running = Atomic<Bool>(false)
    /// The last thread that ran the loop, or 0.
    private let runner = Atomic<UInt64>(0)
    /// Threads that sleep on the descriptor while they run the loop in a wait.
    private let sleepers = Atomic<Int>(0)
    private let ended = Atomic<Bool>(false)
    /// Number of the latest run. A nested run delivers everything before the outer run's mark, so the
    /// outer one ends after it. Owned by the loop's thread.
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

    func start() -> Bool {
        threads.start { [self] in
            csys_thread_name("curfew-events")
            runUntilClosed()
        }
    }

    private func runUntilClosed() {
        while true {
            _ = run(limit: 0, patient: true)
            phase.progressed()
            // Checked after the run, which may have drained the last signal, and before the sleep.
            if phase.isClosed { break }
            csys_wait_readable(queue.descriptor, .max)
        }
        _ = run(limit: 0)
        end()
        phase.progressed()
    }

    /// Waits until the host's own thread has nothing left to deliver; used with a manual clock.
    func settle() {
        guard !isEmbedders else { return }
        while !isQuiet, !phase.isClosed { csys_yield() }
    }

    // MARK: The calling thread

    package var isLoopThread: Bool { threads.role == .loop }

    /// The task of the event that the calling thread is delivering, or 0.
    package var sender: UInt64 { isLoopThread ? delivery.task : 0 }

    /// Whether the calling thread ran the loop last, or no thread has yet.
    private var isRunner: Bool {
        let runner = runner.load(ordering: .sequentiallyConsistent)
        return runner == 0 || runner == csys_thread_number()
    }

    /// Whether a thread is delivering.
    var isRunning: Bool { running.load(ordering: .sequentiallyConsistent) }

    var isQuiet: Bool { queue.isEmpty && !isRunning }

    /// The number of events that were taken from the queue.
    var delivered: UInt64 {
        queue.counters.pointee.delivered.load(ordering: .relaxed)
            &+ queue.counters.pointee.unheard.load(ordering: .relaxed)
    }

    /// The selector of the subscription whose receiver was entered last, or nil between deliveries.
    var receiver: String? { directory.selector(of: delivery.receiver) }

    // MARK: Running

    /// Polls of the empty queue before the host's own thread sleeps, about 50 µs.
    ///
    /// Waking the thread costs more than most events. It yields now and then so that other threads
    /// can raise events, and polls less than once a microsecond, because each poll takes the cache
    /// line away from a thread that raises.
    private static let searchRounds = 64
    private static let yieldEvery = 8
    private static let pausesBetween = 16

    /// Maximum depth of nested deliveries; each uses stack space.
    private static let nestingLimit = 256

    /// Whether the loop is nested too deeply for a wait on its thread to run it again.
    var isTooDeep: Bool { isLoopThread && delivery.nesting >= Self.nestingLimit }

    /// Delivers waiting events on the calling thread. Returns the number delivered.
    /// Valid where the embedder runs the loop, or after shutdown.
    package func dispatch(limit: UInt32) -> Result<UInt32, BridgeError> {
        guard isEmbedders || phase.isClosed else {
            return .failure(
                BridgeError(
                    .wrongState,
                    "the host runs its event loop on a thread of its own; create the host with manual_dispatch to run it yourself"
                ))
        }
        return run(limit: limit)
    }

    /// Delivers up to `limit` events on the calling thread (0: all that are queued at the start).
    /// With `patient`, for the host's own thread, it goes on while more events arrive.
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

    /// Makes the calling thread the loop's. Returns false when another thread is running it.
    private func takeLoop() -> Bool {
        guard !running.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        let me = csys_thread_number()
        if runner.load(ordering: .relaxed) != me {
            runner.store(me, ordering: .sequentiallyConsistent)
            wakeSleepers()
        }
        return true
    }

    /// Runs the loop for a waiting thread. Returns false when another thread owns the loop.
    ///
    /// The owner is the thread inside a delivery or, where the embedder runs the loop, the thread
    /// that ran it last (any thread while none has).
    func runWhileWaiting() -> Bool {
        if isLoopThread {
            _ = deliverWaiting(limit: 0, patient: false)
            return true
        }
        guard isEmbedders, isRunner else { return false }
        if case .success = run(limit: 0) { return true }
        return false
    }

    /// Sleeps in a wait while the caller runs the loop (see `runWhileWaiting()`): until an event is
    /// queued, another thread takes the loop, or `isOver`, which is checked again by the caller.
    func sleep(until deadline: UInt64, unless isOver: () -> Bool) {
        sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { sleepers.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        guard isLoopThread || isRunner, !isOver() else { return }
        csys_wait_readable(queue.descriptor, deadline)
    }

    /// Makes the threads in `sleep` check again. The caller has written their condition with a
    /// sequentially consistent operation, or has issued such a fence since.
    func wakeSleepers() {
        if sleepers.load(ordering: .sequentiallyConsistent) > 0 { wake() }
    }

    private func deliverWaiting(limit: UInt32, patient: Bool) -> UInt32 {
        // A thread that still sleeps lost the loop to this one and has been woken: the descriptor
        // stays readable until it has seen that.
        if sleepers.load(ordering: .sequentiallyConsistent) == 0 {
            csys_eventfd_drain(queue.descriptor)
        }
        children.report(to: violations)
        // Without a limit, events raised during the run wait for the next one: a handler that
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

    /// Queues work for the loop's thread. Never refused.
    /// Once the loop has ended, the calling thread runs the work.
    package func post(_ body: @escaping @Sendable () -> Void) {
        queue.add(LoopWork(body))
        if ended.load(ordering: .sequentiallyConsistent) { doRemainingWork() }
    }

    /// Queues work that counts as a waiting event. Returns `BUSY` at the limit.
    func postLimited(_ body: @escaping @Sendable () -> Void) -> Status {
        let status = queue.addLimited(LoopWork(body))
        if status == .ok, ended.load(ordering: .sequentiallyConsistent) { doRemainingWork() }
        return status
    }

    private func perform(_ node: UnsafeMutablePointer<EventNode>) {
        if let work = queue.takeWork(node) { works.perform(work) }
    }

    func perform(_ work: LoopWork) { works.perform(work) }

    /// Whether the loop is inside work; must be called on the loop's thread.
    var isInsideWork: Bool { works.isWorking }

    /// Runs `body` if the calling thread owns the loop (see `runWhileWaiting()`), else returns nil.
    package func onLoop<T>(_ body: () -> T) -> T? {
        if isLoopThread { return works.directly(body) }
        guard isEmbedders, threads.role == .other, isRunner, takeLoop() else { return nil }
        defer { running.store(false, ordering: .releasing) }
        let wasAttentive = delivery.isAttentive
        defer { delivery.calmDown(wasAttentive) }
        return threads.during(.loop) { works.directly(body) }
    }

    /// Ends the loop: the calling thread runs the waiting work, and `post` runs later work.
    func end() {
        ended.store(true, ordering: .sequentiallyConsistent)
        doRemainingWork()
    }

    /// Runs work left after a shutdown if the calling thread owns the loop.
    func doRemainingWorkIfMine() {
        if isEmbedders, isRunner { doRemainingWork() }
    }

    private func doRemainingWork() {
        guard threads.role != .loop else { return }
        while queue.hasWork {
            // The thread that runs the loop checks again afterwards, and sees the earlier count.
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
            // Events stay queued for a thread that dispatches.
            for event in others { queue.putBack(event) }
            delivery.calmDown(wasAttentive)
            running.store(false, ordering: .sequentiallyConsistent)
        }
    }

    // MARK: Ending

    /// Ends a subscription and waits until its receiver has returned, except inside that receiver.
    package func unsubscribe(_ number: UInt64) -> Status {
        guard let subscription = directory.remove(number) else { return .notFound }
        defer { subscription.letGo() }
        if !isLoopThread { delivery.receiver.wait(for: subscription) }
        return .ok
    }

    func close() {
        directory.close()
        // Wakes a thread that waits on the loop.
        csys_eventfd_signal(queue.descriptor)
    }
}
