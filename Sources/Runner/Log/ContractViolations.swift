// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

/// Reports violations of the plugin contract: one log line each, with the host's reaction.
///
/// Must not be called with a lock held, because the log function belongs to the embedder.
final class ContractViolations: Sendable {
    private let counts: ViolationCounts
    private let all = Atomic<UInt64>(0)
    private let log: HostLog
    private let plugins: PluginList
    private let tasks: TaskTable
    private let handlers: HandlerTable
    private let phase: HostPhase

    init?(
        _ log: HostLog, _ plugins: PluginList, _ tasks: TaskTable, _ handlers: HandlerTable,
        _ phase: HostPhase
    ) {
        guard let counts = ViolationCounts() else { return nil }
        self.counts = counts
        self.log = log
        self.plugins = plugins
        self.tasks = tasks
        self.handlers = handlers
        self.phase = phase
    }

    /// Number of violations, reported or not.
    var count: UInt64 { all.load(ordering: .relaxed) }

    /// Counts a violation and reports it, rate-limited.
    ///
    /// - Parameters:
    ///   - did: what the plugin did, to follow its name: `raised "tidied::"`.
    ///   - answer: the rule, and the host's reaction.
    ///   - handler: its identifier, if the task may be gone.
    func report(
        _ rule: ContractRule, _ did: @autoclosure () -> String, _ answer: @autoclosure () -> String,
        task: UInt64, plugin: Int32, handler: String? = nil
    ) {
        all.wrappingAdd(1, ordering: .relaxed)
        let count = counts.add(.rule(rule), plugin: plugin)
        guard ViolationCounts.isReported(count) else { return }
        write(
            .pluginMisbehaving, rule.fault, did(), answer() + ViolationCounts.remark(count), task,
            plugin, handler)
    }

    /// Reports an answer after the host's own, which is no violation: the host had stopped the
    /// task.
    func reportLateAnswer(
        _ status: Status, _ did: @autoclosure () -> String, _ answer: @autoclosure () -> String,
        task: UInt64, plugin: Int32, handler: String? = nil
    ) {
        let count = counts.add(.lateAnswer, plugin: plugin)
        guard ViolationCounts.isReported(count), let fault = Fault.of(status) else { return }
        write(.info, fault, did(), answer() + ViolationCounts.remark(count), task, plugin, handler)
    }

    /// Reports a call for a task that the plugin cannot access. Returns the call's status.
    func cannotReach(_ id: UInt64, _ call: StaticString, plugin: Int32) -> Status {
        // In a closed host no task can be accessed, which is not a violation.
        guard !phase.isClosed else { return .stale }
        if isOthers(id, than: plugin) {
            report(
                .foreignTask, "called \(call) for task \(id)",
                "it is a task of another plugin; nothing happened", task: 0, plugin: plugin)
        } else {
            report(
                .staleTask, "called \(call) for task \(id)",
                "it is over and its last reference is gone, or there never was one; nothing happened",
                task: 0, plugin: plugin)
        }
        return .stale
    }

    /// Whether an id names a running or ended task of another plugin.
    func isOthers(_ id: UInt64, than plugin: Int32) -> Bool {
        guard let task = tasks.find(id), let queue = tasks.slot(task).handlerQueue else {
            return false
        }
        let state = tasks.slot(task).state
        return state.generation == task.generation && state.isEntered
            && queue.pointee.plugin != plugin
    }

    private func write(
        _ level: LogLevel, _ fault: Fault, _ did: String, _ answer: String, _ task: UInt64,
        _ plugin: Int32, _ known: String?
    ) {
        let id = plugins.id(of: plugin)
        let handler = known ?? identifier(ofTask: task, of: plugin)
        let who = (handler ?? id).map { "\"\($0)\"" } ?? "the embedder"
        let place = handler == nil || task == 0 ? "" : " in task \(task)"
        log(level, id, task, "\(fault.code) \(fault.name): \(who) \(did)\(place): \(answer)")
    }

    /// Returns the handler of one of the plugin's own tasks, or nil when the task is gone.
    private func identifier(ofTask id: UInt64, of plugin: Int32) -> String? {
        guard let task = tasks.find(id), let queue = tasks.slot(task).handlerQueue,
            queue.pointee.plugin == plugin
        else { return nil }
        let state = tasks.slot(task).state
        guard state.generation == task.generation, state.isEntered else { return nil }
        return handlers[queue.pointee.index].description.identifier
    }
}
