// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc
import PluginBridge
import Scheduling

/// Runs the programs of tasks. The host's thread for children reads their output and completes their
/// tasks.
final class CommandRunner: ChildClient, @unchecked Sendable {
    // Sendable: everything else is constant or synchronizes itself.

    let services: PluginServices
    private let engine: TaskEngine
    private let children: ChildThread
    private let state = Locked(State())
    private let handlers = Locked<[CommandHandler]>([])

    private struct State {
        var runs: [UInt64: CommandRun] = [:]
        /// By descriptor.
        var channels: [Int32: CommandRun] = [:]
        var isClosing = false
        /// The plugins whose lacks were logged.
        var told: Set<Int32> = []
        /// The ends of tasks do not wait for killed processes any more.
        var isPublishingAtOnce = false
    }

    /// The name under which a program opens its payload, if that is a file.
    static var payloadPath: String { "/dev/fd/3" }

    /// Nanoseconds in which processes end that are killed.
    private static let exitLimit: UInt64 = 2_000_000_000
    /// Nanoseconds between two looks at whether they have.
    private static let interval: UInt64 = 100_000_000

    init(
        _ engine: TaskEngine, _ requests: RequestService, _ plugins: PluginList,
        _ children: ChildThread
    ) {
        self.engine = engine
        self.children = children
        services = PluginServices(engine, requests, plugins)
    }

    /// Returns the code of a handler that is a program.
    ///
    /// - Parameter command: nil: the payload says which one.
    func code(
        _ command: ManifestCommand?, directory: String, confine: Confinement.Maker? = nil,
        concurrency: Int, plugin: Int32, _ table: PluginTable
    ) -> HandlerCode {
        let handler = CommandHandler(
            self, command, directory: directory, confine: confine, plugin: plugin)
        handlers.withLock { $0.append(handler) }
        return handler.code(table.api, concurrency: concurrency)
    }

    /// Releases the handlers, which retain this object, once no thread calls them any more.
    func releaseHandlers() { handlers.withLock { $0 = [] } }

    // MARK: Starting

    func start(
        _ command: ManifestCommand, _ line: ProgramStart, _ confinement: Confinement?,
        _ payload: UnsafeRawBufferPointer, task: UInt64, plugin: Int32
    ) throws(BridgeError) {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { csys_close(descriptor) } }
        func failed(_ what: String, _ error: Int32 = errno) -> BridgeError {
            BridgeError(.failed, "\(what): \(String(cString: strerror(error))); nothing was run")
        }
        var file: Int32 = -1
        let takesFile = command.words.contains(.payloadFile)
        if takesFile || command.readsPayload {
            file = csys_sealed_file(payload.baseAddress, UInt64(payload.count))
            guard file >= 0 else { throw failed("the payload cannot be passed on") }
            descriptors.append(file)
        }
        var (output, errors): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard csys_pipe(&output) else { throw failed("there is no pipe for its output") }
        guard csys_pipe(&errors) else {
            let reason = errno
            for descriptor in output { csys_close(descriptor) }
            throw failed("there is no pipe for its output", reason)
        }
        descriptors += [output[1], errors[1]]
        // If the output goes to a file, nothing writes into the pipes, and both end at once.
        let place = try line.output.descriptor()
        if place >= 0 { descriptors.append(place) }
        csys_make_nonblocking(output[0])
        csys_make_nonblocking(errors[0])
        let started = state.withLock { state -> Result<Void, BridgeError> in
            guard !state.isClosing, children.start(for: self) else {
                return .failure(failed("the program cannot be started", errno))
            }
            var control: Int32 = -1
            let limits = confinement?.limits ?? csys_limits()
            let group = try? children.groups.make(limits).get()
            do throws(BridgeError) {
                try children.spawner.start { process in
                    line.start(
                        &process, confinement, group, input: command.readsPayload ? file : -1,
                        payload: takesFile ? file : -1, output: place >= 0 ? place : output[1],
                        errors: place >= 0 ? place : errors[1], &control)
                }
            } catch {
                if let group { children.groups.end(group) }
                return .failure(error)
            }
            let run = CommandRun(
                task: task, plugin: plugin, command, group, limits, control: control,
                output: output[0],
                errors: errors[0], resultLimit: Int(engine.configuration.resultLimit))
            state.runs[task] = run
            for channel in run.channels {
                state.channels[channel] = run
                children.watch(channel, for: self)
            }
            return .success(())
        }
        if case .failure(let error) = started {
            csys_close(output[0])
            csys_close(errors[0])
            throw error
        }
        // It may have been stopped, or answered for, before it was in the list.
        if services.shouldStop(task, plugin: plugin) { stop(task) }
        if engine.isDecided(task) { state.withLock { $0.runs[task]?.kill() } }
    }

    // MARK: Stopping

    /// Asks a task's program to end.
    func stop(_ task: UInt64) { state.withLock { $0.runs[task]?.stop() } }

    /// Kills a task's program and all that it started, whose grace is over.
    ///
    /// Returns whether the thread publishes the task's end, when the processes have ended: the history
    /// then has their usage, and no further task of the handler runs beside them.
    func endOfGrace(of task: UInt64) -> Bool {
        state.withLock { state in
            guard let run = state.runs[task] else { return false }
            run.kill()
            children.spawner.resume()
            guard !state.isPublishingAtOnce else { return false }
            run.publishesBy = csys_monotonic_ns() &+ Self.exitLimit
            children.wake()
            return true
        }
    }

    /// Whether the end of a task waits for killed processes.
    var isAwaitingEnds: Bool {
        state.withLock { $0.runs.values.contains { $0.publishesBy != nil } }
    }

    /// Publishes the ends of all tasks that wait for killed processes, and from now on without waiting:
    /// the store is about to be closed.
    func publishEnds() {
        state.withLock { $0.isPublishingAtOnce = true }
        publishEnds(after: .max)
    }

    /// Publishes the ends that have waited until `now`.
    private func publishEnds(after now: UInt64) {
        let tasks = state.withLock { state in
            state.runs.values.filter { $0.publishesBy.map { $0 <= now } ?? false }.map { run in
                run.publishesBy = nil
                return (task: run.task, plugin: run.plugin)
            }
        }
        for task in tasks {
            services.log(
                .warning, "its processes were killed, and have not ended yet", for: task.task,
                plugin: task.plugin)
            engine.publishEnd(of: task.task)
        }
    }

    /// Kills all programs; starts no other.
    func close() {
        state.withLock { state in
            state.isClosing = true
            for run in state.runs.values { run.kill() }
        }
    }

    // MARK: The thread for children

    func receive(from descriptor: Int32) {
        if let run = state.withLock({ $0.channels[descriptor] }) { handle(descriptor, of: run) }
    }

    func pass(now: UInt64) -> UInt64 {
        guard isAwaitingEnds else { return .max }
        publishEnds(after: now)
        return now &+ Self.interval
    }

    var isOver: Bool { state.withLock { $0.isClosing && $0.runs.isEmpty } }

    func abandon() {
        let left = state.withLock { state in
            defer {
                state.runs = [:]
                state.channels = [:]
            }
            return Array(state.runs.values)
        }
        for run in left {
            run.finish { _ in }
            if let group = run.group { children.groups.end(group) }
        }
    }

    private func handle(_ descriptor: Int32, of run: CommandRun) {
        guard descriptor == run.control else {
            var lines: [CommandOutput.Line] = []
            let count = run.read(descriptor) { lines.append($0) }
            tell(lines, of: run)
            if count == 0 { leave(descriptor, of: run) }
            return
        }
        var report = csys_child_report()
        while csys_child_report_next(run.control, &report) {
            switch report.kind {
            case UInt32(csys_report_started):
                services.note(
                    .info, "process \(report.value) runs \(run.command.text)", for: run.task,
                    plugin: run.plugin)
                tellLacks(report.features, of: run)
            default:
                finish(run, report)
                return
            }
        }
    }

    /// Warns, once for each plugin, of what its programs lack.
    private func tellLacks(_ features: csys_features, of run: CommandRun) {
        let group =
            run.group.map { Result.success($0) } ?? .failure(ControlGroups.Refusal(reason: ""))
        let all = ChildFeatures(features, group)
        var lines = all.missing(of: run.limits).map {
            "what its manifest needs or the host limits is not in force for its programs: \($0.text)"
        }
        // Nothing else is asked to keep signals in.
        if features.asked & 1 << csys_feature_signal_scope.rawValue != 0, all.leavesHostOpen {
            lines.append(
                "this machine has not both Landlock scopes and seccomp for its programs: they can reach the processes of the same user, the host among them"
            )
        }
        guard !lines.isEmpty, state.withLock({ $0.told.insert(run.plugin).inserted }) else {
            return
        }
        for line in lines { services.note(.warning, line, for: run.task, plugin: run.plugin) }
    }

    private func leave(_ descriptor: Int32, of run: CommandRun) {
        state.withLock { state in
            children.unwatch(descriptor)
            state.channels[descriptor] = nil
            run.close(descriptor)
        }
    }

    private func tell(_ lines: [CommandOutput.Line], of run: CommandRun) {
        for line in lines {
            switch line {
            case .plain(let text):
                services.log(.info, text, for: run.task, plugin: run.plugin)
            case .unlogged(let text):
                services.keepLine(text, of: run.task, plugin: run.plugin)
            case .progress(let fraction, let text):
                if engine.isDecided(run.task) { continue }
                _ = services.report(fraction, text, for: run.task, plugin: run.plugin)
            case .result: break
            }
        }
    }

    private func finish(_ run: CommandRun, _ report: csys_child_report) {
        var lines: [CommandOutput.Line] = []
        let publishes = state.withLock { state in
            for channel in run.channels {
                children.unwatch(channel)
                state.channels[channel] = nil
            }
            state.runs[run.task] = nil
            return run.publishesBy != nil
        }
        run.finish { lines.append($0) }
        let end = leaveGroup(of: run, CommandEnd(report, run.command))
        tell(lines, of: run)
        if run.dropped > 0 {
            services.log(
                .warning, "\(run.dropped) bytes of its output are not logged", for: run.task,
                plugin: run.plugin)
        }
        if report.survivors > 0 {
            services.log(
                .warning,
                "\(report.survivors) of its processes have other rights, cannot be killed, and run on",
                for: run.task, plugin: run.plugin)
        }
        if report.kind == UInt32(csys_report_ended) {
            let usage = CommandUsage(report)
            engine.note(usage, exit: report.value, result: run.taskResult, of: run.task)
            services.note(.info, "used \(usage.text)", for: run.task, plugin: run.plugin)
        }
        if publishes { engine.publishEnd(of: run.task) }
        complete(run, end)
        engine.phase.progressed()
    }

    /// Kills what is left in the control group of a program that has ended. Returns its end, of which the
    /// group may know more.
    private func leaveGroup(of run: CommandRun, _ end: CommandEnd) -> CommandEnd {
        guard let group = run.group else { return end }
        defer { children.groups.end(group) }
        let isKilled = [.signalled(SIGKILL), .lost].contains(end)
        return isKilled && group.hasRunOutOfMemory ? .outOfMemory : end
    }

    // MARK: Completing

    private func complete(_ run: CommandRun, _ end: CommandEnd) {
        guard !engine.isDecided(run.task) else { return }
        if case .exited(let status) = end, run.command.success.contains(status) {
            _ = run.taskResult.withUnsafeBytes {
                services.complete(run.task, .ok, error: nil, result: $0, plugin: run.plugin)
            }
            return
        }
        if case .exited(let status) = end, run.command.retry.contains(status) {
            _ = services.snooze(run.task, CommandRunner.retryDelay, plugin: run.plugin)
        }
        let last = run.lastLine
        fail(
            run.task, run.plugin,
            end.text { SignalName.of($0) } + (last.isEmpty ? "" : ": \(last)"))
    }

    /// Nanoseconds until a request is launched again whose program asked for that.
    static var retryDelay: UInt64 { 60_000_000_000 }

    func fail(_ task: UInt64, _ plugin: Int32, _ text: String) {
        var text = text
        _ = text.withUTF8 {
            services.complete(
                task, .failed, error: UnsafeRawBufferPointer($0),
                result: UnsafeRawBufferPointer(start: nil, count: 0), plugin: plugin)
        }
    }
}

extension CommandUsage {
    init(_ report: csys_child_report) {
        self.init()
        user = report.user_ns
        system = report.system_ns
        memory = report.memory_bytes
        read = report.read_bytes
        written = report.written_bytes
    }
}

extension ManifestCommand {
    /// Whether its program is an absolute path of a file that exists.
    fileprivate var isFileThere: Bool {
        guard case .text(let program)? = words.first else { return false }
        return program.utf8.first == UInt8(ascii: "/") && access(program, F_OK) == 0
    }
}

extension CommandEnd {
    init(_ report: csys_child_report, _ command: ManifestCommand) {
        switch report.kind {
        case UInt32(csys_report_failed):
            let reason = String(cString: strerror(report.value))
            switch report.failure {
            case UInt32(csys_failure_directory):
                self = .notStarted(
                    "the directory \(command.directory ?? "of the plugin") cannot be entered: \(reason); nothing was run"
                )
            case UInt32(csys_failure_execute) where report.value == ENOEXEC:
                self = .notStarted(
                    "\(command.text) cannot be run: it is neither a program nor begins with #! and an interpreter"
                )
            case UInt32(csys_failure_execute)
            where report.value == ENOENT && command.isFileThere:
                self = .notStarted(
                    "\(command.text) cannot be run: the interpreter that it names is missing")
            case UInt32(csys_failure_execute):
                self = .notStarted("\(command.text) cannot be run: \(reason)")
            case UInt32(csys_failure_descriptors):
                self = .notStarted(
                    "no process can be started: \(reason): it needs a limit of \(csys_descriptors_least) or more (ulimit -n); nothing was run"
                )
            default: self = .notStarted("no process can be started: \(reason); nothing was run")
            }
        case UInt32(csys_report_ended):
            self = report.value < 0 ? .signalled(-report.value) : .exited(report.value)
        default: self = .lost
        }
    }
}

extension ProgramOutput {
    /// Opens the file to which a program writes; -1 where its output is logged.
    fileprivate func descriptor() throws(BridgeError) -> Int32 {
        let path: String
        switch self {
        case .log: return -1
        case .discard: path = "/dev/null"
        case .file(let name): path = name
        }
        // O_NONBLOCK: otherwise open(2) waits for a reader of a named pipe.
        let file = open(
            path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o644)
        guard file >= 0 else {
            throw BridgeError(
                .failed,
                "the file \(path) for its output cannot be opened: \(String(cString: strerror(errno))); nothing was run"
            )
        }
        var status = stat()
        guard fstat(file, &status) == 0,
            [S_IFREG, S_IFCHR].contains(status.st_mode & S_IFMT),
            fcntl(file, F_SETFL, O_APPEND) == 0
        else {
            close(file)
            throw BridgeError(
                .failed, "\(path), to which its output is to go, is no file; nothing was run")
        }
        return file
    }
}
