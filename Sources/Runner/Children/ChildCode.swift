// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Glibc
import PluginBridge
import Scheduling
import Synchronization

/// The code of a plugin in processes of its own: in one after the other, or in one for each task.
final class ChildCode: PluginCode, @unchecked Sendable {
    // Sendable: the state is locked, the rest is constant.

    /// A process, from before its start to its end.
    private struct Process {
        let link: ChildLink
        /// Nil until it is started.
        var child: (any RunningChild)?
        /// Why the host kills it.
        var order: ChildPort.KillOrder?
        /// Its end is counted already, or is no fault.
        var isCounted = false
        /// The last call into it is made, on a thread that ends it afterwards.
        var isRetiring = false
    }

    private struct State {
        /// Oldest first.
        var processes: [Process] = []
        var isRetired = false
        /// All processes were killed, since the host needs them no more.
        var isClosed = false
        var machine: ChildStateMachine
        /// The last process that was to be started has been, so that its end is observed.
        var isStarted = false
        /// A process is being started ahead of its task.
        var isStartingSpare = false
        /// Why the last process has ended, as the rest of a sentence.
        var lastEnd = ""
        var crashes: [PluginCrash] = []
        /// By identifier, as the process has registered them.
        var codes: [String: HandlerCode] = [:]
        var wantsRetirement = false
        /// Without the records of those that have not ended.
        var counts = ChildCounts()
        /// What confines the process that was started last.
        var features: ChildFeatures?

        mutating func crashed(_ text: String, _ end: ChildEnd) {
            counts.bySignal[end.signal, default: 0] &+= 1
            if crashes.count == PluginCrash.limit { crashes.removeFirst() }
            crashes.append(PluginCrash(at: csys_realtime_ns(), text: text))
        }
    }

    let port: ChildPort
    private let engine: TaskEngine
    private let manifest: Manifest
    private let library: CheckedLibrary?
    private let starter: any ChildStarter
    private let confine: Confinement.Maker
    private let allowed: [String]?
    /// The digest of its manifest and library, if it is known.
    private let content: String?
    private let quarantine: Quarantine
    private let state: Locked<State>
    /// Wakes the thread that waits for the next start.
    private let sleepers = Sleepers()

    /// Nanoseconds in which a library is loaded and its entry returns.
    private var loadLimit: UInt64 { engine.configuration.loadLimit }

    /// - Parameters:
    ///   - content: the digest of its manifest and library, if it is known.
    ///   - allowed: the libraries of the system whose functions may be called.
    init(
        _ port: ChildPort, _ manifest: Manifest, _ library: CheckedLibrary?, content: String?,
        allowed: [String]?, _ starter: any ChildStarter, _ quarantine: Quarantine,
        confine: @escaping Confinement.Maker
    ) {
        self.content = content
        self.quarantine = quarantine
        self.confine = confine
        self.allowed = allowed
        state = Locked(
            State(
                machine: ChildStateMachine(
                    port.engine.configuration.childLimits, at: csys_monotonic_ns())))
        self.port = port
        engine = port.engine
        self.manifest = manifest
        self.library = library
        self.starter = starter
        port.onStuck = { [weak self] task in self?.endStuck(task) }
        port.onUsed = { [weak self] in self?.startSpare() }
        port.onWanted = { [weak self] in self?.startWanted() }
        port.onIdle = { [weak self] link in self?.endIdle(link) }
        port.onQuiet = { [weak self] link in self?.endQuiet(link) }
        port.onFault = { [weak self] link in self?.end(link) }
    }

    /// What an event tells about a process.
    private enum Change: String {
        /// With the parts of the sandbox that are in force, and those that are not.
        case started
        /// With how.
        case ended
        /// No other one is started, with the reason.
        case quarantined
        case released
    }

    private func tell(_ change: Change, _ details: String) {
        _ = engine.events.raiseIfWanted(
            engine.directory.child, task: 0,
            [.text(manifest.id), .text(change.rawValue), .text(details)])
    }

    var isolation: Isolation { port.isFresh ? .fresh : .process }

    /// The number of processes that have not ended.
    var running: Int { state.withLock { $0.processes.count } }

    var counts: ChildCounts {
        state.withLock { state in
            var counts = state.counts
            for process in state.processes { counts.records &+= process.link.records }
            return counts
        }
    }

    // MARK: Loading

    func enter(
        _ table: PluginTable, through interposer: (any EntryInterposer)?
    ) throws(BridgeError) {
        guard interposer == nil else {
            throw BridgeError(
                .invalid,
                "the entry of a plugin in a process of its own cannot be intercepted; load it with isolation thread"
            )
        }
        port.api = table.api
        do throws(BridgeError) {
            let said = try read(try start().reply)
            state.withLock {
                $0.codes = said.codes
                $0.wantsRetirement = said.wantsRetirement
                $0.machine.loaded()
            }
            if let content { quarantine.loaded(content) }
            library?.rest()
        } catch {
            close()
            throw error
        }
    }

    /// Starts a process and waits until it has loaded the library and returned from its entry. If that
    /// fails after the process was started, its end is observed as well.
    private func start() throws(BridgeError) -> (link: ChildLink, reply: [UInt8]) {
        state.withLock { $0.isStarted = false }
        let confinement = try confine()
        // Said once, not for each process.
        let isFirst = state.withLock { $0.counts.started == 0 }
        for path in confinement.missing where isFirst {
            log(
                .warning,
                "its manifest needs \(path), which is not there or not accessible; it cannot use it"
            )
        }
        let link = try port.makeLink()
        var writer = ChannelWriter()
        ChannelHello(
            manifest: manifest.source.bytes, path: library?.path ?? "",
            shown: library?.shown ?? Manifest.fileName, allowed: allowed
        ).write(to: &writer)
        port.connect(link)
        let order = ChildOrder()
        guard link.order(.enter, order, message: writer.bytes) else {
            throw BridgeError(.exhausted, "the manifest does not fit into the channel of a process")
        }
        let child: any RunningChild
        do throws(BridgeError) {
            let output = try makeOutput(link)
            let files = link.files
            state.withLock { $0.processes.append(Process(link: link)) }
            child = try starter.start(
                ChildFiles(library: library?.descriptor ?? -1, down: files.down, up: files.up),
                confinement, output
            ) { [self] end in
                ended(link, end)
            }
        } catch {
            state.withLock { $0.processes.removeAll { $0.link === link } }
            port.disconnect(link)
            throw error
        }
        link.closeFiles()
        let isClosed = state.withLock { state in
            state.counts.started &+= 1
            state.isStarted = true
            // It may have ended already.
            if let index = state.processes.firstIndex(where: { $0.link === link }) {
                state.processes[index].child = child
            }
            return state.machine.state == .closed
        }
        if isClosed { child.kill() }
        guard engine.threads.start({ [port] in port.read(link) }) else {
            child.kill()
            throw BridgeError(.exhausted, "no thread could be started to read a process' channel")
        }
        let limit = csys_monotonic_ns() &+ loadLimit
        guard let reply = order.wait(until: limit) else {
            let reason = port.endText(of: link)
            end(link)
            let text =
                reason.map { "the process of \(manifest.id) \($0) while it loaded \(shown)" }
                ?? "\(shown) has not been loaded within \(loadLimit / 1_000_000_000) s, and its process was killed"
            let isClosed = state.withLock { $0.isClosed }
            // A later process counts as an end in a row.
            if !port.isRegistered, !isClosed, let content, quarantine.isKept,
                quarantine.failedToLoad(content, manifest.id, text)
            {
                tell(.quarantined, text)
                throw BridgeError(
                    .quarantined, .quarantined,
                    "\(text), for the third time within 10 min: it is quarantined until `curfew release \(manifest.id)`, or until another build of it is installed"
                )
            }
            throw BridgeError(.entry, .failed, text)
        }
        // The report of its start can arrive after its reply.
        let features = child.awaitStart(until: limit)
        if let features {
            state.withLock { $0.features = features }
            tell(.started, features.text)
        }
        if isFirst, features?.leavesHostOpen == true {
            log(
                .warning,
                "this machine has no process namespaces for it, and not both Landlock scopes and seccomp: its process can reach those of the same user, the host among them"
            )
        }
        // The log says nothing of what no manifest asked for; the state of the plugin has it.
        for missing in features?.missing(of: confinement.limits) ?? [] where isFirst {
            let who = manifest.needs == nil ? "the host has limits" : "its manifest has `needs`"
            log(.warning, "\(who) that are not in force: \(missing.text)")
        }
        return (link, reply)
    }

    private func makeOutput(_ link: ChildLink) throws(BridgeError) -> ChildOutput {
        let output = ChildOutput(tasks: { link.returns }) { [engine, manifest] level, text in
            engine.log(level, manifest.id, 0, text)
        }
        guard let output else {
            throw BridgeError(
                .exhausted,
                "there is no pipe for the output of a process: \(String(cString: strerror(errno)))")
        }
        return output
    }

    private var shown: String { library?.shown ?? Manifest.fileName }

    /// The code of handlers that need no entry, and whether there is a last call to make.
    private typealias Said = (codes: [String: HandlerCode], wantsRetirement: Bool)

    private func read(_ reply: [UInt8]) throws(BridgeError) -> Said {
        let malformed = BridgeError(
            .refused,
            "the process of \(manifest.id) has said nothing that can be read about its entry")
        let result = reply.withUnsafeBytes { bytes -> Result<Said, BridgeError> in
            var reader = ChannelReader(bytes)
            guard let error = reader.error() else { return .failure(malformed) }
            if let error { return .failure(error) }
            guard let wantsRetirement = reader.flag() else { return .failure(malformed) }
            var codes: [String: HandlerCode] = [:]
            for (index, handler) in manifest.handlers.enumerated() {
                guard let isThere = reader.flag(), let hasExpired = reader.flag(),
                    let pendingLimit = reader.number(UInt32.self), pendingLimit <= 1
                else { return .failure(malformed) }
                if isThere, handler.form != .entry {
                    codes[handler.identifier] = port.code(index, hasExpired, pendingLimit)
                }
            }
            return .success((codes, wantsRetirement))
        }
        return try result.get()
    }

    func codes(
        _ table: PluginTable, allowed: [String]?
    ) throws(BridgeError) -> [String: HandlerCode] { state.withLock { $0.codes } }

    func sub(_ signature: EventSignature) -> SubFunction? {
        var writer = ChannelWriter()
        writer.add(signature.selector)
        writer.add(signature.parameters.map(\.zero))
        guard
            let reply = port.order(
                .findSub, message: writer.bytes, until: csys_monotonic_ns() &+ loadLimit),
            reply.first == 1
        else { return nil }
        let selector = signature.selector
        return SubFunction { [port] values in
            var writer = ChannelWriter()
            writer.add(UInt64(0))
            writer.add(selector)
            writer.add(values)
            port.deliver(writer.bytes)
        }
    }

    // MARK: Ending

    var wantsRetirement: Bool { state.withLock { $0.wantsRetirement && !$0.isRetired } }

    /// Nanoseconds in which the plugin's retire function returns; then its process is killed.
    private static let retireLimit: UInt64 = 1_000_000_000

    func retire() {
        if wantsRetirement {
            // If one ends from here on, no other one follows.
            let links = state.withLock { state in
                state.isRetired = true
                state.machine.close()
                // The others are being ended already, some with a last call on a thread of their own.
                return state.processes.filter { !$0.isCounted }.map(\.link)
            }
            let limit = csys_monotonic_ns() &+ Self.retireLimit
            for link in links where port.isReady(link) { retire(link, until: limit) }
            _ = sleepers.wait(until: limit) {
                state.withLock { !$0.processes.contains(where: \.isRetiring) }
            }
        }
        close()
    }

    /// Makes the last call into a process.
    private func retire(_ link: ChildLink, until limit: UInt64) {
        guard port.order(.retire, to: link, until: limit) == nil,
            // The host has not killed it meanwhile.
            state.withLock({ !$0.isClosed })
        else { return }
        log(
            .warning,
            port.endText(of: link).map { "its process \($0)" }
                ?? "its retire function has not returned within 1 s, and its process was killed"
        )
    }

    /// Ends the processes for good, without a last call.
    func close() {
        let children = state.withLock { state in
            state.machine.close()
            state.isClosed = true
            return state.processes.compactMap(\.child)
        }
        for child in children { child.kill() }
        port.stop()
        sleepers.wake()
    }

    /// Whether its processes have ended, with everything that they had started.
    var isOver: Bool { state.withLock { $0.processes.isEmpty } }

    private func end(_ link: ChildLink) { child(of: link)?.kill() }

    private func child(of link: ChildLink) -> (any RunningChild)? {
        state.withLock { $0.processes.first { $0.link === link }?.child }
    }

    private func ended(_ link: ChildLink, _ end: ChildEnd) {
        let order = state.withLock { $0.processes.first { $0.link === link }?.order }
        let text = port.processEnded(link, end, order)
        var (isLast, isUntold) = (false, false)
        let (action, count) = state.withLock { state -> (ChildStateMachine.Action, Int) in
            // The host kills the process when it is closed; another kind of end came before that.
            let isKilled = state.isClosed && [.signalled(SIGKILL), .lost].contains(end)
            isLast = !engine.configuration.restartsProcesses && !state.isRetired && !isKilled
            guard let index = state.processes.firstIndex(where: { $0.link === link }) else {
                return (.none, 0)
            }
            let process = state.processes.remove(at: index)
            state.counts.records &+= link.records
            if process.order == .idle {
                // The host has ended it because it was idle: this is no fault.
            } else if process.order != nil {
                state.counts.killed &+= 1
            } else if link.isBroken {
                state.counts.faulty &+= 1
                state.crashed(text, end)
            } else if !process.isCounted, !isKilled {
                state.counts.crashed &+= 1
                state.crashed(text, end)
            }
            if process.order != nil || !process.isCounted { state.lastEnd = text }
            // The host closes already, and starts no other one whose start would be told.
            isUntold =
                state.machine.state == .closed && !isLast && !isKilled && !state.isRetired
                && process.order == nil && !process.isCounted && port.isRegistered
            guard !process.isCounted else { return (.none, 0) }
            return self.count(link, &state)
        }
        tell(.ended, text)
        act(action, count, text)
        let isStuck = if case .stuck = order { action == .none } else { false }
        if isStuck || isUntold {
            log(.warning, "its process \(text)")
        } else if isLast, !link.isEndTold {
            // The text of no task says it, and no other process is started.
            log(.warning, "after its task was over, its process \(text)")
        }
        sleepers.wake()
        engine.phase.progressed()
    }

    /// Counts the end of a process.
    private func count(_ link: ChildLink, _ state: inout State) -> (ChildStateMachine.Action, Int) {
        if !engine.configuration.restartsProcesses { state.machine.close() }
        let wasLoaded = state.machine.state == .ready
        let action = state.machine.ended(at: csys_monotonic_ns(), successes: link.successes)
        // A plugin that is loaded for the first time is refused.
        return (wasLoaded || port.isRegistered ? action : .none, state.machine.endsInARow)
    }

    private func act(_ action: ChildStateMachine.Action, _ count: Int, _ text: String) {
        switch action {
        case .none: break
        case .start(let date):
            log(
                .warning,
                "its process \(text); the next one starts in \(Self.seconds(until: date)) s")
            rest(text, until: date)
            waitAndStart(date)
        case .quarantine:
            quarantine("its process \(text), for the \(Self.times(count)) time in a row")
        }
    }

    var process: PluginProcess? {
        state.withLock {
            let child = ($0.processes.last { ($0.child?.processID ?? 0) != 0 })?.child
            return PluginProcess(
                id: child?.processID ?? 0, starts: UInt32(clamping: $0.counts.started),
                lastEnd: $0.lastEnd, crashes: $0.crashes, crashCounts: $0.counts.bySignal,
                notInForce: $0.features?.missing.map(\.text) ?? [])
        }
    }

    private static func seconds(until date: UInt64) -> Double {
        let now = csys_monotonic_ns()
        return date > now ? Double((date - now) / 10_000_000) / 100 : 0
    }

    private static func times(_ count: Int) -> String {
        ["first", "second", "third"].indices.contains(count - 1)
            ? ["first", "second", "third"][count - 1] : "\(count)th"
    }

    private func log(_ level: LogLevel, _ text: String) {
        engine.log(level, manifest.id, 0, text)
    }

    // MARK: Starting again

    /// Starts the next process at a time, on a thread of its own.
    private func waitAndStart(_ date: UInt64) {
        let isStarted = engine.threads.start { [self] in
            csys_thread_name("curfew-restart")
            engine.threads.join(as: .deadline)
            _ = sleepers.wait(until: date) { state.withLock { $0.machine.state == .closed } }
            startAgain()
            engine.phase.progressed()
        }
        if !isStarted { quarantine("no thread could be started for its next process") }
    }

    private func startAgain() {
        guard state.withLock({ $0.machine.start(at: csys_monotonic_ns()) }) else { return }
        if port.isFresh, port.hasUnused {
            state.withLock { $0.machine.loaded() }
        } else if !startNext() {
            return
        }
        close(nil) { if case .resting = $0 { true } else { false } }
        log(.info, "its next process runs")
    }

    /// Starts a process that takes the next tasks. Returns false if it could not be started, which is
    /// counted and logged.
    private func startNext() -> Bool {
        do throws(BridgeError) {
            let (link, reply) = try start()
            do throws(BridgeError) {
                _ = try read(reply)
            } catch {
                log(.error, error.message)
                end(link)
                return false
            }
            state.withLock { $0.machine.loaded() }
            port.begin(link)
            return true
        } catch {
            // The host closes, and has killed it.
            if state.withLock({ $0.machine.state == .closed }) { return false }
            log(.error, error.message)
            // The end of a process that was started is counted when it is observed.
            guard state.withLock({ !$0.isStarted }) else { return false }
            let action = state.withLock {
                $0.machine.ended(at: csys_monotonic_ns(), successes: 0)
            }
            switch action {
            case .none: break
            case .start(let date):
                rest("could not be started", until: date)
                waitAndStart(date)
            case .quarantine: quarantine(error.message)
            }
            return false
        }
    }

    // MARK: A process for each task

    /// Starts the process of the next task ahead of it.
    private func startSpare() {
        let isWanted = state.withLock { state in
            guard state.machine.state == .ready, !state.isStartingSpare else { return false }
            state.isStartingSpare = true
            return true
        }
        guard isWanted else { return }
        let isStarted = engine.threads.start { [self] in
            csys_thread_name("curfew-spare")
            engine.threads.join(as: .deadline)
            if !port.hasUnused { _ = startNext() }
            state.withLock { $0.isStartingSpare = false }
            // It may have been used meanwhile.
            if !port.hasUnused { startSpare() }
            engine.phase.progressed()
        }
        if !isStarted {
            state.withLock { $0.isStartingSpare = false }
            quarantine("no thread could be started for its next process")
        }
    }

    // MARK: A process that is not needed

    /// Ends a process that has had nothing to do for long.
    private func endIdle(_ link: ChildLink) {
        var rest: ChildPort.After?
        let isParked = state.withLock { state in
            guard state.machine.state == .ready,
                let index = state.processes.firstIndex(where: { $0.link === link }),
                state.processes[index].order == nil
            else { return false }
            let parked = port.park(link)
            rest = parked.rest
            guard parked.isParked, state.machine.rest() else { return false }
            state.processes[index].order = .idle
            state.processes[index].isCounted = true
            state.processes[index].isRetiring = state.wantsRetirement
            return true
        }
        if let rest { port.finish(rest) }
        if isParked { end(link, retires: wantsRetirement) }
    }

    /// Starts a process for the next task of a plugin whose last one was ended because it had nothing to do.
    private func startWanted() {
        guard state.withLock({ $0.machine.start(at: csys_monotonic_ns()) }) else { return }
        let isStarted = engine.threads.start { [self] in
            csys_thread_name("curfew-restart")
            engine.threads.join(as: .deadline)
            _ = startNext()
            engine.phase.progressed()
        }
        if !isStarted { quarantine("no thread could be started for its next process") }
    }

    /// Ends a process, after the last call into it.
    private func end(_ link: ChildLink, retires: Bool) {
        guard retires else { return end(link) }
        let isStarted = engine.threads.start { [self] in
            csys_thread_name("curfew-retire")
            engine.threads.join(as: .deadline)
            retire(link, until: csys_monotonic_ns() &+ Self.retireLimit)
            endRetired(link)
            engine.phase.progressed()
        }
        if !isStarted { endRetired(link) }
    }

    /// Ends a process whose tasks are over, and that takes no others.
    private func endQuiet(_ link: ChildLink) {
        enum Way { case none, kill, retire, terminate }
        let way = state.withLock { state -> Way in
            // If the plugin is retired, the last call is made there.
            guard !state.isRetired, !state.isClosed,
                let index = state.processes.firstIndex(where: { $0.link === link })
            else { return .none }
            if state.processes[index].order != nil { return .terminate }
            state.processes[index].isCounted = true
            if link.successes > 0 { state.machine.succeeded() }
            state.processes[index].isRetiring = state.wantsRetirement
            return state.wantsRetirement ? .retire : .kill
        }
        switch way {
        case .none: break
        case .kill: end(link)
        case .terminate: terminate(link)
        case .retire: end(link, retires: true)
        }
    }

    private func endRetired(_ link: ChildLink) {
        state.withLock { state in
            for index in state.processes.indices where state.processes[index].link === link {
                state.processes[index].isRetiring = false
            }
        }
        end(link)
        sleepers.wake()
    }

    private var records: [HandlerRecord] {
        port.handlers.map { engine.handlers[$0.pointee.index] }
    }

    /// Lets requests wait until the next process starts.
    private func rest(_ text: String, until date: UInt64) {
        let now = csys_monotonic_ns()
        let left = Int64(clamping: date > now ? date - now : 0)
        let until = engine.clock.moment().wall.addingReportingOverflow(left).partialValue
        close(.resting(text, until: until)) { $0 == nil }
    }

    /// Sets why the handlers are closed, for those of which `isChanged` returns true.
    private func close(
        _ closed: HandlerState.Closed?, _ isChanged: (HandlerState.Closed?) -> Bool
    ) {
        for handler in records where isChanged(handler.closed) {
            handler.closed = closed
            engine.stateChanged(handler)
        }
    }

    private func quarantine(_ reason: String) {
        tell(.quarantined, reason)
        for handler in records { engine.quarantine(handler, .quarantinedPlugin(reason)) }
        var release = "its handlers are released or the host is started again"
        if let content, quarantine.isKept {
            quarantine.add(content, manifest.id, reason)
            release = "`curfew release \(manifest.id)`, or until another build of it is installed"
        }
        log(.error, "\(reason): it is quarantined until \(release)")
    }

    /// Ends its process, because a person has quarantined the plugin; the tasks that run are interrupted.
    func quarantine(by entry: QuarantinedPlugin) {
        let children = state.withLock { state -> [any RunningChild]? in
            guard state.machine.quarantine() else { return nil }
            for index in state.processes.indices {
                state.processes[index].order = state.processes[index].order ?? .quarantined
                state.processes[index].isCounted = true
            }
            return state.processes.compactMap(\.child)
        }
        guard let children else { return }
        for handler in records { engine.quarantine(handler, .quarantinedPlugin(entry.reason)) }
        tell(.quarantined, entry.reason)
        log(.warning, "it was quarantined, and its process is ended: \(entry.reason)")
        for child in children { child.kill() }
    }

    /// Starts a process of a plugin that was quarantined.
    func release() {
        let now = csys_monotonic_ns()
        guard state.withLock({ $0.machine.release(at: now) }) else { return }
        if let content { quarantine.release(content) }
        tell(.released, "")
        for queue in port.handlers {
            engine.endQuarantine(of: engine.handlers[queue.pointee.index])
        }
        waitAndStart(now)
    }

    // MARK: Functions that do not return

    /// Nanoseconds for which a process with a function that does not return goes on for its other tasks.
    private static let leaveLimit: UInt64 = 30_000_000_000
    /// Nanoseconds from SIGTERM to SIGKILL.
    private static let terminateLimit: UInt64 = 1_000_000_000

    /// A function has not returned long after the end of its task. Another process takes the next tasks;
    /// this one goes on for those that it has, and is ended then.
    private func endStuck(_ task: TaskReference) {
        let stuck = engine.tasks.publicID(task)
        let handler = engine.tasks.slot(task).handlerQueue
        guard let (link, goesOn) = port.leave(because: task) else { return }
        let name = handler.map { manifest.handlers[ChildPort.index(of: $0)].identifier } ?? "a task"
        var others: [ChildLink] = []
        let counted = state.withLock { state -> (ChildStateMachine.Action, Int)? in
            guard let index = state.processes.firstIndex(where: { $0.link === link }) else {
                return nil
            }
            state.processes[index].order = state.processes[index].order ?? .stuck(stuck)
            // A second one ends the first.
            others = state.processes.filter { $0.link !== link && $0.order != nil }.map(\.link)
            guard goesOn, !state.processes[index].isCounted else { return nil }
            state.processes[index].isCounted = true
            return self.count(link, &state)
        }
        for other in others { terminate(other) }
        guard goesOn else { return terminate(link) }
        guard let (action, count) = counted else { return }
        end(link, at: csys_monotonic_ns() &+ Self.leaveLimit)
        act(
            action, count,
            "does not return from the function of \(name), and goes on for its other tasks, for at most 30 s"
        )
    }

    /// Asks a process to end, and kills it if it does not.
    private func terminate(_ link: ChildLink) {
        child(of: link)?.terminate()
        end(link, at: csys_monotonic_ns() &+ Self.terminateLimit)
    }

    /// Kills a process at a time, unless it has ended before.
    private func end(_ link: ChildLink, at date: UInt64) {
        let isStarted = engine.threads.start { [self] in
            csys_thread_name("curfew-restart")
            engine.threads.join(as: .deadline)
            _ = sleepers.wait(until: date) {
                link.hasEnded || state.withLock { $0.machine.state == .closed }
            }
            end(link)
            engine.phase.progressed()
        }
        if !isStarted { end(link) }
    }
}

extension EventType {
    /// A value of the type.
    fileprivate var zero: EventValue {
        switch self {
        case .bool: .bool(false)
        case .int32: .int32(0)
        case .int64: .int64(0)
        case .double: .double(0)
        case .text: .text("")
        }
    }
}
