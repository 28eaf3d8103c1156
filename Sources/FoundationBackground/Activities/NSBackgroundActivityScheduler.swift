// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Dispatch
public import Foundation

/// Calls a block now and then while the process lives, at moments when the machine has time for it.
///
/// Configure the scheduler, then call `schedule`. Releasing the scheduler ends it. It lives in this
/// process: use `BGTaskScheduler` for work that outlives the process. All functions may be called
/// from any thread.
open class NSBackgroundActivityScheduler: NSObject, @unchecked Sendable {
    // Sendable: what changes is behind the lock.

    /// The result of one call.
    public enum Result: Int, Sendable {
        /// The work is done.
        case finished = 1
        /// Call the block again, at a better moment.
        case deferred = 2
    }

    /// The handler that a block calls when its work is over.
    public typealias CompletionHandler = @Sendable (NSBackgroundActivityScheduler.Result) -> Void

    private struct State {
        var quality = QualityOfService.background
        var repeats = false
        var interval: TimeInterval = 0
        var tolerance: TimeInterval?
        var machine: ActivityScheduleStateMachine?
        var block: (@Sendable (@escaping CompletionHandler) -> Void)?
        var queue: DispatchQueue?
        var alarm: BackgroundAlarm?
        /// Counts the calls of the block: only the last call may answer, once.
        var run: UInt64 = 0
    }

    /// Its name, the same at each start of the app: `com.example.mine.tidy`.
    public let identifier: String
    private let state = Locked(State())
    private let clock: any BackgroundClock

    /// - Parameter identifier: a name in reverse DNS notation.
    public init(identifier: String) {
        self.identifier = identifier
        clock = BackgroundExecution.current.clock
    }

    deinit { invalidate() }

    // MARK: What it is about

    /// The quality of service of the queue on which the block is called. `.background` by default.
    open var qualityOfService: QualityOfService {
        get { state.withLock { $0.quality } }
        set { state.withLock { $0.quality = newValue } }
    }

    /// Whether it is called again and again. False by default.
    open var repeats: Bool {
        get { state.withLock { $0.repeats } }
        set { state.withLock { $0.repeats = newValue } }
    }

    /// Seconds from `schedule` to the first call, and between calls. Ten minutes or more are advised.
    open var interval: TimeInterval {
        get { state.withLock { $0.interval } }
        set { state.withLock { $0.interval = newValue } }
    }

    /// Seconds before and after each date at which it may be called. By default half of the interval.
    open var tolerance: TimeInterval {
        get { state.withLock { $0.tolerance ?? $0.interval / 2 } }
        set { state.withLock { $0.tolerance = newValue } }
    }

    /// True while the machine is better left alone: it saves power, is hot, or its battery is nearly
    /// empty. A long block looks at it now and then, and then completes with `.deferred`.
    open var shouldDefer: Bool { conditions == .held }

    // MARK: Running

    /// Calls `block` when its time has come, on a serial queue of the system's. Each call has to call
    /// its completion handler, from any thread; the first time counts. What was set before holds; a
    /// second `schedule` takes the place of the first.
    open func schedule(
        _ block:
            @escaping @Sendable (@escaping NSBackgroundActivityScheduler.CompletionHandler) -> Void
    ) {
        let now = clock.now
        let (old, action) = state.withLock { state -> (Any?, ActivityScheduleStateMachine.Action) in
            let old: [Any?] = [state.block, state.alarm]
            let nanoseconds = BackgroundExecution.nanoseconds
            var machine = ActivityScheduleStateMachine(
                interval: nanoseconds(state.interval),
                tolerance: nanoseconds(state.tolerance ?? state.interval / 2),
                repeats: state.repeats)
            let action = machine.schedule(now)
            state.machine = machine
            state.block = block
            state.run += 1
            state.queue = DispatchQueue(
                label: identifier,
                qos: DispatchQoS(qosClass: state.quality.qosClass, relativePriority: 0)
            )
            return (old, action)
        }
        _ = old
        perform(action)
    }

    /// Nothing is called any more; a call that has begun goes on.
    open func invalidate() {
        let old = state.withLock { state -> [Any?] in
            let old: [Any?] = [state.block, state.alarm, state.queue]
            state.machine?.invalidate()
            state.block = nil
            state.alarm = nil
            state.run += 1
            return old
        }
        _ = old
    }

    private func perform(_ action: ActivityScheduleStateMachine.Action) {
        switch action {
        case .nothing: break
        case .wait(let time):
            let alarm = clock.wake(at: time) { [weak self] in self?.tick() }
            _ = state.withLock { state in
                let old = state.alarm
                state.alarm = alarm
                return old
            }
        case .run: run()
        }
    }

    private func tick() {
        let now = clock.now
        let conditions = conditions
        perform(state.withLock { $0.machine?.tick(now, conditions) ?? .nothing })
    }

    private func run() {
        let (queue, block, number) = state.withLock { state in
            state.run += 1
            return (state.queue, state.block, state.run)
        }
        guard let queue, let block else { return }
        let completed: CompletionHandler = { [weak self] in self?.complete(number, $0) }
        queue.async { block(completed) }
    }

    private func complete(_ number: UInt64, _ result: Result) {
        let now = clock.now
        perform(
            state.withLock { state -> ActivityScheduleStateMachine.Action in
                guard state.run == number else { return .nothing }
                return state.machine?.completed(now, deferred: result == .deferred) ?? .nothing
            })
    }

    private var conditions: ActivityConditions {
        let host = AppHost.shared
        let held = [
            CURFEW_FACTOR_LOW_POWER_MODE, CURFEW_FACTOR_THERMAL, CURFEW_FACTOR_BATTERY,
        ]
        if held.contains(where: { host.factor(Int32($0)) == .no }) { return .held }
        let good = [CURFEW_FACTOR_EXTERNAL_POWER, CURFEW_FACTOR_IDLE]
        return good.allSatisfy { host.factor(Int32($0)) == .yes } ? .good : .fair
    }
}

extension QualityOfService {
    fileprivate var qosClass: DispatchQoS.QoSClass {
        switch self {
        case .userInteractive: .userInteractive
        case .userInitiated: .userInitiated
        case .utility: .utility
        case .background: .background
        case .default: .default
        @unknown default: .background
        }
    }
}
