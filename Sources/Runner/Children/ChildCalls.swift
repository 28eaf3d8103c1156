// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import PluginBridge
import Scheduling

/// Makes the calls of a plugin's process that may wait for a disk, on a thread of its own.
///
/// The thread starts with the first call.
final class ChildCalls: @unchecked Sendable {
    // Sendable: the state is locked, the rest is constant.

    struct Call {
        let function: ChannelCall
        let mailbox: Int
        let number: UInt32
        let message: [UInt8]
    }

    private struct State {
        var waiting: [(call: Call, link: ChildLink)] = []
        var isStarted = false
        var isStopping = false
    }

    private let engine: TaskEngine
    private let services: PluginServices
    private let plugin: Int32
    private let state = Locked(State())
    private let sleepers = Sleepers()
    /// Carries out what the calls need of the port.
    weak var port: ChildPort?

    init(_ engine: TaskEngine, _ services: PluginServices, plugin: Int32) {
        self.engine = engine
        self.services = services
        self.plugin = plugin
    }

    /// Adds a call; on a thread that holds the port's lock.
    func add(_ call: Call, for link: ChildLink) {
        let starts = state.withLock { state in
            state.waiting.append((call, link))
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if starts, !engine.threads.start({ [self] in work() }) {
            state.withLock { $0.isStarted = false }
        }
        sleepers.wake()
    }

    /// Ends the thread; calls that wait are not answered.
    func stop() {
        state.withLock { $0.isStopping = true }
        sleepers.wake()
    }

    private func work() {
        csys_thread_name("curfew-calls")
        engine.threads.join(as: .deadline)
        while true {
            var next: (call: Call, link: ChildLink)?
            var isOver = false
            _ = sleepers.wait {
                state.withLock { state in
                    isOver = state.isStopping
                    if !isOver, !state.waiting.isEmpty { next = state.waiting.removeFirst() }
                }
                return isOver || next != nil
            }
            guard !isOver, let next else { break }
            let (status, reply) = next.call.message.withUnsafeBytes {
                var reader = ChannelReader($0)
                return make(next.call.function, &reader)
            }
            port?.answer(next.link, next.call.mailbox, next.call.number, status, reply.bytes)
        }
        engine.phase.progressed()
    }

    /// A continuation that is called in the plugin's process.
    func continuation(_ token: UInt64, _ link: ChildLink) -> PluginContinuation {
        PluginContinuation { [weak port, weak link] status, values in
            guard let link else { return }
            var writer = ChannelWriter()
            writer.add(token)
            writer.add(status.rawValue)
            writer.add(values)
            port?.deliver(writer.bytes, to: link, isContinuation: true)
        }
    }

    private func make(
        _ function: ChannelCall, _ reader: inout ChannelReader
    ) -> (Status, ChannelWriter) {
        var reply = ChannelWriter()
        let malformed = BridgeError(.invalid, "the call \(function) cannot be read")
        switch function {
        case .register:
            guard let identifier = reader.text(), let hasExpired = reader.flag() else {
                reply.add(malformed)
                break
            }
            reply.add(port?.register(String(identifier.prefix(256)), hasExpired: hasExpired))
        case .submit:
            let identifier = reader.text() ?? ""
            let result = reader.options { options in
                services.submit(identifier, options, plugin: plugin)
            }
            switch result ?? .failure(malformed) {
            case .success(let id):
                reply.add(nil as BridgeError?)
                reply.add(id)
            case .failure(let error): reply.add(error)
            }
        case .cancelRequests:
            return (services.cancelRequests(of: reader.text() ?? "", plugin: plugin), reply)
        case .pendingRequests:
            guard let after = reader.number(UInt64.self), let limit = reader.number(UInt64.self)
            else {
                reply.add(malformed)
                break
            }
            // A page of so many fits into the arena.
            let result = services.pendingRequests(
                after: after, limit: Int(min(limit, 1_000)), plugin: plugin)
            switch result {
            case .success(let states):
                reply.add(nil as BridgeError?)
                reply.add(structs: states)
            case .failure(let error): reply.add(error)
            }
        case .payload:
            switch services.payload(of: reader.number(UInt64.self) ?? 0, plugin: plugin) {
            case .success(let bytes):
                reply.add(nil as BridgeError?)
                bytes.withUnsafeBytes { reply.add($0) }
            case .failure(let error): reply.add(error)
            }
        default: reply.add(malformed)
        }
        return (.ok, reply)
    }
}
