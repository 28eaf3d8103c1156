// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Glibc
import PluginBridge
import Scheduling
import Synchronization

/// The code of a plugin in a process of its own.
final class ChildCode: PluginCode, @unchecked Sendable {
    // Sendable: the state is locked, the rest is constant.

    private struct State {
        var child: (any RunningChild)?
        var link: ChildLink?
        var isRetired = false
        var machine: ChildStateMachine
        /// The task for which the process is being killed.
        var stuck: UInt64?
        /// Why the last process has ended, as the rest of a sentence.
        var lastEnd = ""
        /// By identifier, as the process has registered them.
        var codes: [String: HandlerCode] = [:]
        var wantsRetirement = false
        var starts: UInt32 = 0
    }

    let port: ChildPort
    private let engine: TaskEngine
    private let manifest: Manifest
    private let library: CheckedLibrary?
    private let starter: any ChildStarter
    private let confine: Confinement.Maker
    private let allowed: [String]?
    private let state: Locked<State>
    /// Wakes the thread that waits for the next start.
    private let sleepers = Sleepers()

    /// Nanoseconds in which a library is loaded and its entry returns.
    private var loadLimit: UInt64 { engine.configuration.loadLimit }

    /// - Parameter allowed: the libraries of the system whose functions may be called.
    init(
        _ port: ChildPort, _ manifest: Manifest, _ library: CheckedLibrary?, allowed: [String]?,
        _ starter: any ChildStarter, confine: @escaping Confinement.Maker
    ) {
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
        port.onFault = { [weak self] link in self?.end(link) }
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
        } catch {
            close()
            throw error
        }
    }

    /// Starts a process and waits until it has loaded the library and returned from its entry.
    private func start() throws(BridgeError) -> (link: ChildLink, reply: [UInt8]) {
        let confinement = try confine()
        for path in confinement.missing {
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
        let output = try makeOutput(link)
        let files = link.files
        let child = try starter.start(
            ChildFiles(library: library?.descriptor ?? -1, down: files.down, up: files.up),
            confinement, output
        ) { [self] end in
            ended(link, end)
        }
        link.closeFiles()
        state.withLock {
            $0.child = child
            $0.link = link
            $0.starts &+= 1
        }
        guard engine.threads.start({ [port] in port.read(link) }) else {
            child.kill()
            throw BridgeError(.exhausted, "no thread could be started to read a process' channel")
        }
        guard let reply = order.wait(until: csys_monotonic_ns() &+ loadLimit) else {
            let reason = port.endText(of: link)
            end(link)
            throw BridgeError(
                .entry, .failed,
                reason.map { "the process of \(manifest.id) \($0) while it loaded \(shown)" }
                    ?? "\(shown) has not been loaded within \(loadLimit / 1_000_000_000) s, and its process was killed"
            )
        }
        if child.features?.leavesHostOpen == true {
            log(
                .warning,
                "this machine has neither process namespaces for it nor Landlock scopes: its process can reach those of the same user, the host among them"
            )
        }
        // The log says nothing of what no manifest asked for; the state of the plugin has it.
        for missing in child.features?.missing ?? [] where missing.isNeeds {
            log(.warning, "its manifest has `needs` that are not in force: \(missing.text)")
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
            // If it ends from here on, no other one follows.
            let link = state.withLock { state in
                state.isRetired = true
                state.machine.close()
                return state.link
            }
            let limit = csys_monotonic_ns() &+ Self.retireLimit
            if let link, port.order(.retire, until: limit) == nil {
                log(
                    .warning,
                    port.endText(of: link).map { "its process \($0)" }
                        ?? "its retire function has not returned within 1 s, and its process was killed"
                )
            }
        }
        close()
    }

    /// Ends the process for good, without a last call.
    func close() {
        let child = state.withLock { state in
            state.machine.close()
            return state.child
        }
        child?.kill()
        port.stop()
        sleepers.wake()
    }

    /// Whether its process has ended, with everything that it had started.
    var isOver: Bool { state.withLock { $0.child == nil } }

    private func end(_ link: ChildLink) {
        state.withLock { $0.link === link ? $0.child : nil }?.kill()
    }

    private func ended(_ link: ChildLink, _ end: ChildEnd) {
        let stuck = state.withLock { state in
            defer { state.stuck = nil }
            return state.stuck
        }
        let text = port.processEnded(link, end, killedFor: stuck)
        let (action, count) = state.withLock { state -> (ChildStateMachine.Action, Int) in
            guard state.link === link else { return (.none, 0) }
            if !engine.configuration.restartsProcesses { state.machine.close() }
            state.child = nil
            state.link = nil
            state.lastEnd = text
            let wasLoaded = state.machine.state == .ready
            let action = state.machine.ended(at: csys_monotonic_ns(), successes: link.successes)
            // A plugin that is loaded for the first time is refused.
            return (wasLoaded || !port.handlers.isEmpty ? action : .none, state.machine.endsInARow)
        }
        switch action {
        case .none: break
        case .start(let date):
            log(
                .warning,
                "its process \(text); the next one starts in \(Self.seconds(until: date)) s")
            waitAndStart(date)
        case .quarantine:
            quarantine("its process \(text), for the \(Self.times(count)) time in a row")
        }
        engine.phase.progressed()
    }

    var process: PluginProcess? {
        state.withLock {
            PluginProcess(
                id: $0.child?.processID ?? 0, starts: $0.starts, lastEnd: $0.lastEnd,
                notInForce: $0.child?.features?.missing.map(\.text) ?? [])
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
        do throws(BridgeError) {
            let (link, reply) = try start()
            do throws(BridgeError) {
                _ = try read(reply)
            } catch {
                log(.error, error.message)
                return end(link)
            }
            state.withLock { $0.machine.loaded() }
            port.begin(link)
            log(.info, "its next process runs")
        } catch {
            log(.error, error.message)
            // Without a process none ends.
            guard state.withLock({ $0.child == nil }) else { return }
            let action = state.withLock {
                $0.machine.ended(at: csys_monotonic_ns(), successes: 0)
            }
            switch action {
            case .none: break
            case .start(let date): waitAndStart(date)
            case .quarantine: quarantine(error.message)
            }
        }
    }

    private func quarantine(_ reason: String) {
        for queue in port.handlers {
            let handler = engine.handlers[queue.pointee.index]
            handler.quarantineReason = reason
            queue.pointee.gate.bitwiseOr(
                HandlerQueue.Gate.quarantined, ordering: .sequentiallyConsistent)
            engine.stateChanged(handler)
            engine.gateIsShut(queue)
        }
        log(
            .error,
            "\(reason): it is quarantined until its handlers are released or the host is started again"
        )
    }

    /// Starts a process of a plugin that was quarantined.
    func release() {
        let now = csys_monotonic_ns()
        guard state.withLock({ $0.machine.release(at: now) }) else { return }
        for queue in port.handlers {
            engine.endQuarantine(of: engine.handlers[queue.pointee.index])
        }
        waitAndStart(now)
    }

    private func endStuck(_ task: TaskReference) {
        let stuck = engine.tasks.publicID(task)
        let child = state.withLock { state in
            state.stuck = state.stuck ?? stuck
            return state.child
        }
        child?.kill()
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
