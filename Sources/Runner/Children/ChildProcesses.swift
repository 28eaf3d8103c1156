// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc
import PluginBridge
import Scheduling

/// The processes of a host's plugins: starts them, and observes their ends on the host's thread for
/// children.
final class ChildProcesses: ChildStarter, ChildClient {

    /// A process, from its order to its end.
    private final class Child: RunningChild, Sendable {
        let control: Int32
        private let start = Locked<(id: Int32, features: ChildFeatures?, isOver: Bool)>(
            (0, nil, false))
        private let waiters = Sleepers()
        let output: ChildOutput
        let group: Result<ControlGroup, ControlGroups.Refusal>
        /// The spawner that has started this process only; nil if the host's spawner has.
        let spawner: Spawner?
        private let onEnd: @Sendable (ChildEnd) -> Void

        init(
            _ control: Int32, _ output: ChildOutput,
            _ group: Result<ControlGroup, ControlGroups.Refusal>, _ spawner: Spawner?,
            _ ended: @escaping @Sendable (ChildEnd) -> Void
        ) {
            self.control = control
            self.output = output
            self.group = group
            self.spawner = spawner
            onEnd = ended
        }

        var processID: Int32 { start.withLock { $0.id } }
        var features: ChildFeatures? { start.withLock { $0.features } }

        func awaitStart(until deadline: UInt64) -> ChildFeatures? {
            _ = waiters.wait(until: deadline) {
                start.withLock { $0.features != nil || $0.isOver }
            }
            return features
        }

        func started(_ id: Int32, _ features: ChildFeatures) {
            start.withLock { ($0.id, $0.features) = (id, features) }
            waiters.wake()
        }

        func ended(_ end: ChildEnd) {
            start.withLock { $0.isOver = true }
            waiters.wake()
            onEnd(end)
        }

        func terminate() { csys_child_order(control, Int32(csys_order_terminate)) }
        func kill() { csys_child_order(control, Int32(csys_order_kill)) }
    }

    private let thread: ChildThread
    /// Each process has a spawner of its own, and so addresses of its own.
    private let executes: Bool
    private struct State {
        /// By control socket.
        var running: [Int32: Child] = [:]
        /// The number of starts whose processes are not in `running` yet.
        var starting = 0
        /// The thread for children has ended, so that a later process would not be observed.
        var isAbandoned = false
    }

    private let state = Locked(State())
    /// The owners of outputs, by descriptor.
    private let outputs = Locked<[Int32: Child]>([:])

    /// - Parameter executes: curfew-child is executed anew for each process, which then has addresses of its own.
    init(_ thread: ChildThread, executes: Bool) {
        self.thread = thread
        self.executes = executes
    }

    func start(
        _ files: ChildFiles, _ confinement: Confinement, _ output: ChildOutput,
        ended: @escaping @Sendable (ChildEnd) -> Void
    ) throws(BridgeError) -> any RunningChild {
        // The thread for children does not end while a start is counted, so this comes before it is asked.
        state.withLock { $0.starting += 1 }
        defer { state.withLock { $0.starting -= 1 } }
        guard thread.start(for: self) else {
            throw BridgeError(
                .exhausted, "processes cannot be observed: \(String(cString: strerror(errno)))")
        }
        let environment = ProgramStart.inheritedEnvironment().merging(
            confinement.variables
        ) { $1 }.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        var variables: [UnsafeMutablePointer<CChar>?] =
            environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in variables { free(text) } }
        let limits = confinement.pluginLimits
        let group = thread.groups.make(limits)
        var control: Int32 = -1
        var isStarted = false
        let own = executes ? try thread.spawner.another() : nil
        defer {
            if !isStarted {
                own?.stop()
                if case .success(let group) = group { thread.groups.end(group) }
            }
        }
        try variables.withUnsafeMutableBufferPointer { variables throws(BridgeError) in
            let directory = strdup(Self.workingDirectory)
            defer { free(directory) }
            var child = csys_child()
            child.library = files.library
            child.manifest = -1
            child.down = files.down
            child.up = files.up
            child.socket = -1
            child.output = output.ends.output
            child.errors = output.ends.errors
            child.cgroup = (try? group.get())?.directory.descriptor ?? -1
            child.directory = UnsafePointer(directory)
            child.environment = UnsafePointer(variables.baseAddress)
            child.limits = limits
            try confinement.withConfinement { confined throws(BridgeError) in
                child.confinement = confined
                child.confinement.is_alone = own != nil
                try (own ?? thread.spawner).start { csys_child_start(&$0, &child, &control) }
            }
        }
        isStarted = true
        output.closeEnds()
        let child = Child(control, output, group, own, ended)
        let isObserved = state.withLock { state in
            if !state.isAbandoned { state.running[control] = child }
            return !state.isAbandoned
        }
        guard isObserved else {
            abandon(child)
            return child
        }
        for descriptor in output.descriptors {
            outputs.withLock { $0[descriptor] = child }
            thread.watch(descriptor, for: self)
        }
        thread.watch(control, for: self)
        return child
    }

    private static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }

    // MARK: On the thread for children

    func receive(from descriptor: Int32) {
        if let child = state.withLock({ $0.running[descriptor] }) { return receive(child) }
        guard let output = outputs.withLock({ $0[descriptor] })?.output else { return }
        if !output.read(descriptor) {
            unwatch(descriptor)
            output.close(descriptor)
        }
    }

    private func unwatch(_ descriptor: Int32) {
        outputs.withLock { _ = $0.removeValue(forKey: descriptor) }
        thread.unwatch(descriptor)
    }

    /// Logs the rest of what a process has written that has ended.
    private func finish(_ output: ChildOutput) {
        for descriptor in output.descriptors { unwatch(descriptor) }
        output.finish()
    }

    func pass(now: UInt64) -> UInt64 { .max }

    var isOver: Bool { state.withLock { $0.running.isEmpty && $0.starting == 0 } }

    func abandon() {
        let left = state.withLock { state in
            defer { (state.running, state.isAbandoned) = ([:], true) }
            return state.running.values.sorted { $0.control < $1.control }
        }
        for child in left { abandon(child) }
    }

    /// Kills a process that the thread for children cannot observe, and reports it as lost.
    private func abandon(_ child: Child) {
        finish(child.output)
        csys_close(child.control)
        _ = leaveGroup(of: child, .lost)
        child.spawner?.stop()
        child.ended(.lost)
    }

    /// Kills what is left in the control group of a process that has ended. Returns its end, of which the
    /// group may know more.
    private func leaveGroup(of child: Child, _ end: ChildEnd) -> ChildEnd {
        guard case .success(let group) = child.group else { return end }
        defer { thread.groups.end(group) }
        let isKilled = [.signalled(SIGKILL), .lost].contains(end)
        return isKilled && group.hasRunOutOfMemory ? .outOfMemory : end
    }

    private func receive(_ child: Child) {
        var report = csys_child_report()
        while csys_child_report_next(child.control, &report) {
            switch report.kind {
            case UInt32(csys_report_started):
                child.started(report.value, ChildFeatures(report.features, child.group))
            default:
                state.withLock { _ = $0.running.removeValue(forKey: child.control) }
                thread.unwatch(child.control)
                let end = leaveGroup(of: child, ChildEnd(report))
                finish(child.output)
                child.spawner?.stop()
                child.ended(end)
                csys_close(child.control)
                return
            }
        }
    }
}

extension ChildEnd {
    init(_ report: csys_child_report) {
        switch report.kind {
        case UInt32(csys_report_ended):
            self = report.value < 0 ? .signalled(-report.value) : .exited(report.value)
        case UInt32(csys_report_failed):
            let reason = String(cString: strerror(report.value))
            self = .notStarted(
                report.failure == UInt32(csys_failure_descriptors)
                    ? "\(reason): it needs a limit of \(csys_descriptors_least) or more (ulimit -n)"
                    : reason)
        default: self = .lost
        }
    }
}
