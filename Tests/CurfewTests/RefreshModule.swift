// SPDX-License-Identifier: Apache-2.0
import Curfew
import CurfewB4X
import Scheduling
import TestSupport

/// The module of a tutorial for B4i, carried over sub by sub: it registers a background refresh,
/// schedules it, does it in parts with pauses in between, and hears of its expiration.
final class RefreshModule: Sendable {
    /// What stands behind the task object that the system passes: to complete it once.
    final class SystemTask: Sendable {
        let running: RunningTask
        /// What `setTaskCompletedWithSuccess:` was called with.
        let completions = Guarded<[Bool]>([])
        let isCompleted = Gate()

        init(_ running: RunningTask) { self.running = running }

        func setTaskCompleted(success: Bool) {
            completions.change { $0.append(success) }
            isCompleted.open()
        }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    static let identifier = "com.yourcompany.apprefresh"

    let me: Target
    let loop: DispatchedHost
    /// A variable of the whole process there: one for all tasks of a type.
    let isAppRefreshTaskExpired = Guarded(false)
    let tasks = Guarded<[SystemTask]>([])
    /// What the code between the pauses does; may throw.
    let work: @Sendable () async throws -> Void
    /// The system calls it; set once the controller has started.
    let expirationHandler = Guarded<(@Sendable () -> Void)?>(nil)
    let setsExpirationHandler: Bool
    let entered = Gate()

    init(
        _ loop: DispatchedHost, setsExpirationHandler: Bool = true,
        work: @escaping @Sendable () async throws -> Void = {}
    ) throws {
        self.loop = loop
        self.work = work
        self.setsExpirationHandler = setsExpirationHandler
        me = try Target("main", in: loop.host, takesHostEvents: true)
        try me.sub("Application_Start:") { [unowned self] _, _ in
            _ = try registerBackgroundAppRefreshTask()
        }
        try me.sub("Application_Background") { [unowned self] _, _ in
            _ = try scheduleBackgroundAppRefreshTask()
        }
        try me.resumableSub("BackgroundAppRefreshTask_Controller:") { [unowned self] _, event in
            guard case .int64(let index) = event.values[0] else { return }
            try await controller(tasks.value[Int(index)])
        }
        // The other form's sub, which is told how the task ended.
        try me.sub("BackgroundAppRefreshTask_Done::") { [loop] _, event in
            loop.note(event.transcript)
        }
    }

    // MARK: The inline code

    /// - (void) registerBackgroundAppRefreshTask
    func registerNatively() throws {
        let description = HandlerDescription(
            identifier: Self.identifier, event: "backgroundapprefreshtask")
        do {
            try loop.host.register(
                description,
                expired: { [unowned self] _, _ in expirationHandler.value?() },
                run: { [unowned self] in try handle($0) })
        } catch {
            try me.raiseUIEvent(
                "registeringbackgroundapprefreshtask_done::", .bool(false), .text("\(error)"))
        }
    }

    /// - (void) scheduleBackgroundAppRefreshTask
    func scheduleNatively() throws {
        loop.note("schedule")
        try me.raiseUIEvent("schedulingbackgroundapprefreshtask_done::", .bool(true), .text(""))
    }

    /// - (void) handleBackgroundAppRefreshTask:(BGTask *)task, on a worker
    private func handle(_ running: RunningTask) throws {
        let task = SystemTask(running)
        let index = tasks.value.count
        tasks.change { $0.append(task) }
        try scheduleNatively()
        try me.raiseUIEvent("backgroundapprefreshtask_controller:", .int64(Int64(index)))
        if setsExpirationHandler { expirationHandler.change { $0 = { [self] in expired() } } }
        entered.open()
        try task.isCompleted.pass()
        guard task.completions.value == [true] else { throw Failure(description: "not done") }
    }

    // MARK: The subs

    /// Private Sub RegisterBackgroundAppRefreshTask As ResumableSub
    func registerBackgroundAppRefreshTask() throws -> ResumableSub<String> {
        try me.resumable { [self] in
            do {
                try registerNatively()
                let event = try await me.waitFor("RegisteringBackgroundAppRefreshTask_Done::")
                loop.note(event.transcript)
                guard case .text(let error) = event.values[1] else { return "?" }
                return error
            } catch {
                return "\(error)"
            }
        }
    }

    /// Private Sub ScheduleBackgroundAppRefreshTask As ResumableSub
    func scheduleBackgroundAppRefreshTask() throws -> ResumableSub<String> {
        try me.resumable { [self] in
            do {
                try scheduleNatively()
                let event = try await me.waitFor("SchedulingBackgroundAppRefreshTask_Done::")
                loop.note(event.transcript)
                guard case .text(let error) = event.values[1] else { return "?" }
                return error
            } catch {
                return "\(error)"
            }
        }
    }

    /// Private Sub DoBackgroundAppRefreshTask
    func doBackgroundAppRefreshTask() throws {
        try me.resumable { [self] in
            do {
                loop.note("do")
                try await me.sleep(milliseconds: 10)
                try await work()
                if !isAppRefreshTaskExpired.value {
                    try me.callSubDelayed("BackgroundAppRefreshTask_Done")
                }
                loop.note("did")
            } catch {
                loop.note("caught \(error)")
                if !isAppRefreshTaskExpired.value {
                    try me.callSubDelayed("BackgroundAppRefreshTask_Done")
                }
            }
        }
    }

    /// Private Sub BackgroundAppRefreshTask_Controller (AppRefreshTask As Object)
    func controller(_ task: SystemTask) async throws {
        isAppRefreshTaskExpired.change { $0 = false }
        try doBackgroundAppRefreshTask()
        try await me.waitFor("BackgroundAppRefreshTask_Done")
        loop.note("controller resumes")
        if isAppRefreshTaskExpired.value {
            task.setTaskCompleted(success: false)
        } else {
            task.setTaskCompleted(success: true)
        }
    }

    /// Private Sub BackgroundAppRefreshTask_Expired
    func expired() {
        isAppRefreshTaskExpired.change { $0 = true }
        loop.note("expired")
        try? me.callSubDelayed("BackgroundAppRefreshTask_Done")
    }
}
