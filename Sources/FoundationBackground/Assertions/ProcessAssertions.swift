// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues
import Dispatch
import Foundation

/// The assertions of this process: an app's tasks and an extension's activities share one time
/// limit. All functions may be called from any thread.
package final class ProcessAssertions: Sendable {
    private struct State {
        var machine: AssertionStateMachine
        var alarm: (time: UInt64, BackgroundAlarm)?
        var tasks: [UInt64: @MainActor @Sendable () -> Void] = [:]
        var activities: [UInt64: @Sendable () -> Void] = [:]
        var observers: [@MainActor @Sendable (Bool) -> Void] = []
        /// True if other code reports when the delegate knows of the background.
        var isSettledElsewhere = false
    }

    /// The assertions of this process, which follow `AppHost.life`.
    package static let shared: ProcessAssertions = {
        let made = ProcessAssertions(BackgroundExecution.current)
        AppHost.life.observe { made.follow($0) }
        made.follow(AppHost.life.stage)
        return made
    }()

    private let execution: BackgroundExecution
    private let state: Locked<State>

    init(_ execution: BackgroundExecution) {
        self.execution = execution
        state = Locked(
            State(
                machine: AssertionStateMachine(
                    budget: BackgroundExecution.nanoseconds(execution.budget),
                    grace: BackgroundExecution.nanoseconds(execution.grace),
                    most: BackgroundExecution.mostAssertions)))
    }

    // MARK: What can be asked

    /// Seconds that are left; nil: they do not run out.
    package var remaining: Double? {
        state.withLock { $0.machine.remaining(execution.clock.now) }.map {
            Double($0) / 1_000_000_000
        }
    }

    /// The number of open assertions.
    package var count: Int { state.withLock { $0.machine.count } }

    package var isSuspended: Bool { state.withLock { $0.machine.isSuspended } }

    // MARK: Assertions

    /// Begins a task; nil: the app is suspended, its time is over, or there are too many.
    package func beginTask(
        _ name: String, _ handler: (@MainActor @Sendable () -> Void)?
    ) -> UInt64? {
        begin(.task, name) { $0.tasks[$1] = handler }
    }

    /// Begins an activity; `expire` must not block. Nil as above.
    func beginActivity(_ name: String, _ expire: @escaping @Sendable () -> Void) -> UInt64? {
        begin(.activity, name) { $0.activities[$1] = expire }
    }

    private func begin(
        _ kind: AssertionKind, _ name: String, _ keep: (inout State, UInt64) -> Void
    ) -> UInt64? {
        let begun = state.withLock { state -> AssertionStateMachine.Begun in
            let begun = state.machine.begin(kind, name, execution.clock.now)
            if case .granted(let id) = begun { keep(&state, id) }
            return begun
        }
        switch begun {
        case .granted(let id): return id
        case .late:
            AppHost.shared.log(
                .info, "\(name): no background time is left; it has to run in the foreground")
        case .tooMany:
            answer(
                "\(name): \(BackgroundExecution.mostAssertions) background tasks are open, and no more can be; on a phone the app would be killed (0xbada5e47). Each has to be ended, also one whose work fails."
            )
        }
        return nil
    }

    /// False: there is no such assertion.
    @discardableResult
    package func end(_ id: UInt64) -> Bool {
        step { state in
            let actions = state.machine.end(id)
            // Its handler may hold what it likes; it is let go of outside of the lock.
            let kept: [Any?] = [
                state.tasks.removeValue(forKey: id), state.activities.removeValue(forKey: id),
            ]
            return (actions ?? [], (actions != nil, kept))
        }.0
    }

    // MARK: The app's life

    private func follow(_ stage: AppStage) {
        switch stage {
        case .launching: break
        case .foreground: step { ($0.machine.enterForeground(), ()) }
        case .background:
            step { state in
                state.machine.enterBackground(execution.clock.now)
                return (state.isSettledElsewhere ? [] : state.machine.settle(), ())
            }
        }
    }

    /// From now on `settle` is called when the delegate knows of the background.
    package func settlesElsewhere() { state.withLock { $0.isSettledElsewhere = true } }

    /// The delegate knows.
    package func settle() { step { ($0.machine.settle(), ()) } }

    /// Something launched by the host begins: the app runs until `rest`.
    package func wake() { step { ($0.machine.wake(execution.clock.now), ()) } }

    /// It is over.
    package func rest() { step { ($0.machine.rest(), ()) } }

    /// Calls `body` on the main thread with true when the app is suspended, and with false when it
    /// goes on.
    package func observe(_ body: @escaping @MainActor @Sendable (Bool) -> Void) {
        state.withLock { $0.observers.append(body) }
    }

    // MARK: Effects

    @discardableResult
    private func step<Answer>(
        _ body: (inout State) -> ([AssertionAction], Answer)
    ) -> Answer {
        let (actions, answer) = state.withLock { state -> ([AssertionAction], Answer) in
            let (actions, answer) = body(&state)
            arm(&state)
            // In the order of what happened, which is known here alone.
            for case let isSuspended? in actions.map(\.suspension) {
                for observer in state.observers {
                    DispatchQueue.main.async { observer(isSuspended) }
                }
            }
            return (actions, answer)
        }
        for action in actions { perform(action) }
        return answer
    }

    private func arm(_ state: inout State) {
        guard state.alarm?.time != state.machine.alarm else { return }
        state.alarm = state.machine.alarm.map { time in
            (
                time,
                execution.clock.wake(at: time) { [weak self] in
                    guard let self else { return }
                    step { state in
                        // A clock that calls too early is asked again.
                        state.alarm = nil
                        return (state.machine.tick(self.execution.clock.now), ())
                    }
                }
            )
        }
    }

    private func perform(_ action: AssertionAction) {
        switch action {
        case .expireTasks: DispatchQueue.main.async { self.callHandlers() }
        case .expireActivity(let id):
            let expire = state.withLock { $0.activities.removeValue(forKey: id) }
            expire?()
        case .overran(let left):
            state.withLock { state in
                for overrun in left { state.tasks[overrun.id] = nil }
            }
            for overrun in left { answer(words(overrun)) }
        case .suspend:
            AppHost.shared.log(.debug, "the app is suspended: nothing keeps it running")
        case .resume: AppHost.shared.log(.debug, "the app resumes")
        }
    }

    /// One after another, each once, and none that has ended in between.
    @MainActor private func callHandlers() {
        while true {
            let next = state.withLock { state -> (UInt64, (@MainActor @Sendable () -> Void)?)? in
                state.machine.nextTask().map { ($0, state.tasks.removeValue(forKey: $0)) }
            }
            guard let (id, handler) = next else { return }
            handler?()
            state.withLock { $0.machine.returned(id) }
        }
    }

    private func words(_ overrun: AssertionOverrun) -> String {
        let what =
            overrun.kind == .task
            ? "Background task \(overrun.id) (\(overrun.name))"
            : "Expiring activity \(overrun.id) (\(overrun.name))"
        let why: String =
            switch (overrun.kind, overrun.handlerReturned) {
            case (.task, true):
                "was not ended; its expiration handler, if it has one, has to call endBackgroundTask"
            case (.task, false):
                "was not ended; its expiration handler has not been called yet or has not returned, since the main thread is busy"
            case (.activity, _): "has not returned; its block was called with true"
            }
        return
            "\(what) \(why). \(execution.grace) s after its time was over the app would be killed on a phone (0x8badf00d)."
    }

    private func answer(_ text: String) {
        if execution.overrun == .stop { AppHost.stop(text + "\n") }
        AppHost.shared.log(.error, text)
    }
}

extension AssertionAction {
    /// True where the app is suspended by it, false where it goes on; nil: neither.
    fileprivate var suspension: Bool? {
        switch self {
        case .suspend: true
        case .resume: false
        case .expireTasks, .expireActivity, .overran: nil
        }
    }
}
