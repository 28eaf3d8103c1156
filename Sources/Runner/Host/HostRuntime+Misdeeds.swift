// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

/// What a plugin's author is told: one line that names the plugin, the rule and its code, what
/// happened, the handler and the task, and what the host made of it.
///
/// None of these may be called under a lock: the log function is the embedder's.
extension HostRuntime {
    /// A plugin broke a rule of the contract. Counted, and told unless it was told often enough.
    ///
    /// - Parameters:
    ///   - did: what it did, to be put after its name: `raised "tidied::"`.
    ///   - answer: what is wrong with that, and what came of it.
    ///   - handler: its identifier, where the task may be gone by now.
    func misbehaved(
        _ rule: Misbehaviour, _ did: @autoclosure () -> String, _ answer: @autoclosure () -> String,
        task: UInt64, plugin: Int32, handler: String? = nil
    ) {
        misbehaviours.wrappingAdd(1, ordering: .relaxed)
        let count = misdeeds.add(.rule(rule), plugin: plugin)
        guard MisdeedCounts.isTold(count) else { return }
        tell(
            .pluginMisbehaving, rule.fault, did(), answer() + MisdeedCounts.remark(count), task,
            plugin, handler)
    }

    /// An answer came when there was nothing to answer any more. No misdeed: the host told the task
    /// to stop, and took what it had.
    func answeredLate(
        _ status: Status, _ did: @autoclosure () -> String, _ answer: @autoclosure () -> String,
        task: UInt64, plugin: Int32, handler: String? = nil
    ) {
        let count = misdeeds.add(.lateAnswer, plugin: plugin)
        guard MisdeedCounts.isTold(count), let fault = Fault.of(status) else { return }
        tell(.info, fault, did(), answer() + MisdeedCounts.remark(count), task, plugin, handler)
    }

    /// A call was made for a task that the plugin cannot reach. Returns what the call answers.
    func cannotReach(_ id: UInt64, _ call: StaticString, plugin: Int32) -> Status {
        // Of a host that is closed nothing can be reached, and nobody is to blame.
        guard !closed else { return .stale }
        if isOthers(id, than: plugin) {
            misbehaved(
                .foreignTask, "called \(call) for task \(id)",
                "it is a task of another plugin; nothing happened", task: 0, plugin: plugin)
        } else {
            misbehaved(
                .staleTask, "called \(call) for task \(id)",
                "it is over and its last reference is gone, or there never was one; nothing happened",
                task: 0, plugin: plugin)
        }
        return .stale
    }

    /// True for a task of another plugin's that has begun.
    func isOthers(_ id: UInt64, than plugin: Int32) -> Bool {
        guard let task = tasks.find(id), let cell = tasks.slot(task).handlerCell else {
            return false
        }
        let state = tasks.slot(task).state
        return state.generation == task.generation && state.isEntered
            && cell.pointee.plugin != plugin
    }

    private func tell(
        _ level: LogLevel, _ fault: Fault, _ did: String, _ answer: String, _ task: UInt64,
        _ plugin: Int32, _ known: String?
    ) {
        let id = pluginID(plugin)
        let handler = known ?? identifier(ofTask: task, of: plugin)
        let who = (handler ?? id).map { "\"\($0)\"" } ?? "the embedder"
        let place = handler == nil || task == 0 ? "" : " in task \(task)"
        log(level, id, task, "\(fault.code) \(fault.name): \(who) \(did)\(place): \(answer)")
    }

    /// The handler of a task of the plugin's own; nil when the task is none, or gone.
    private func identifier(ofTask id: UInt64, of plugin: Int32) -> String? {
        guard let task = tasks.find(id), let cell = tasks.slot(task).handlerCell,
            cell.pointee.plugin == plugin
        else { return nil }
        let state = tasks.slot(task).state
        guard state.generation == task.generation, state.isEntered else { return nil }
        return handler(at: cell.pointee.index)?.description.identifier
    }
}
