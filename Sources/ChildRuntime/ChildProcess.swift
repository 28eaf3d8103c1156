// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import CurfewValues
import PluginBridge
import Scheduling
import Synchronization

/// A plugin in a process of its own: its library, its table, and the threads that call it.
final class ChildProcess: @unchecked Sendable {
    // Sendable: `library` is written by the thread that loads, before the host offers anything; the
    // rest is constant or synchronizes itself.

    private let channel: ChildChannel
    private let memory: ChannelMemory
    private let manifest: Manifest
    private let services: RemoteServices
    private let table = PluginTable()
    private let roles: ThreadRoles
    private let plugin: Int32
    private let hello: ChannelHello
    private let libraryFile: Int32
    private var library: PluginLibrary?
    private let controlHead = Locked<UInt64>(0)
    /// The key of the threads' roles.
    private let owner = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    private let process = csys_process_mark()

    init?(_ memory: ChannelMemory, library: Int32) {
        // Written before the process was started.
        let order = memory.control(0).pointee
        guard let bytes = memory.bytes(at: order.at, count: order.bytes) else { return nil }
        var reader = ChannelReader(bytes)
        guard order.order == ChannelOrder.enter.rawValue,
            let hello = ChannelHello(from: &reader),
            case .success(let manifest) = Manifest.parse(
                bytes: hello.manifest, file: Manifest.fileName)
        else { return nil }
        self.hello = hello

        channel = ChildChannel(memory)
        self.memory = memory
        self.manifest = manifest
        libraryFile = library
        roles = ThreadRoles(owner)
        plugin = Int32(truncatingIfNeeded: memory.header.pointee.plugin)
        guard let services = RemoteServices(channel, manifest, roles) else { return nil }
        self.services = services
        table.serve(services, plugin: plugin, owner: owner)
    }

    /// Starts the threads that carry out orders. Returns false when there can be none.
    func start() -> Bool {
        Crew<ChannelControl>(
            limit: 64, memory.controlBell, begin: { csys_thread_name("curfew-control") },
            hasWork: { self.hasOrder }, take: { self.takeOrder() }, run: { self.carryOut($0) }
        ).start()
    }

    private var hasOrder: Bool {
        memory.header.pointee.controlTail.load(ordering: .sequentiallyConsistent)
            != controlHead.withLock { $0 }
    }

    private func takeOrder() -> ChannelControl? {
        controlHead.withLock { head in
            guard memory.header.pointee.controlTail.load(ordering: .acquiring) != head else {
                return nil
            }
            defer { head += 1 }
            return memory.control(head).pointee
        }
    }

    private func carryOut(_ order: ChannelControl) {
        defer { csys_phase_set(csys_phase_idle, 0) }
        switch ChannelOrder(rawValue: order.order) {
        case .enter: enter(order)
        case .expire: expire(order)
        case .deliver: deliver(order)
        case .findSub: findSub(order)
        case .retire:
            csys_phase_set(csys_phase_retire, 0)
            roles.during(.loading) { library?.retire() }
            endFork()
            done(order)
        case nil: break
        }
    }

    /// Runs the part of `load` that needs no library, for `childPrepare`. No host reads the record `done`.
    func rehearse() {
        let watch = ProcessStateWatch()
        _ = roles.during(.loading) { try? PluginLibrary(manifest, nil) }
        _ = watch.restore()
        var writer = ChannelWriter()
        writer.add(nil as BridgeError?)
        writer.add(true)
        writer.add(UInt32(1))
        withUnsafeBytes(of: DoneHead(token: 1)) { head in
            _ = writer.bytes.withUnsafeBytes { channel.post(.done, task: 0, head, $0) }
        }
    }

    private func done(_ order: ChannelControl, _ writer: ChannelWriter = ChannelWriter()) {
        withUnsafeBytes(of: DoneHead(token: order.token)) { head in
            _ = writer.bytes.withUnsafeBytes { channel.post(.done, task: 0, head, $0) }
        }
    }

    private func message(of order: ChannelControl) -> ChannelReader {
        ChannelReader(
            memory.bytes(at: order.at, count: order.bytes)
                ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }

    // MARK: Loading

    private func enter(_ order: ChannelControl) {
        var writer = ChannelWriter()
        do throws(BridgeError) {
            let codes = try load()
            writer.add(nil as BridgeError?)
            writer.add(library!.wantsRetirement)
            for handler in manifest.handlers {
                let code = codes[handler.identifier]
                writer.add(code != nil)
                writer.add(code?.expired != nil)
                writer.add(code?.pendingLimit ?? 0)
            }
        } catch {
            writer.add(error)
        }
        done(order, writer)
    }

    /// Loads the library and calls its entry, as a host does in its own process.
    private func load() throws(BridgeError) -> [String: HandlerCode] {
        let watch = ProcessStateWatch()
        let result = roles.during(.loading) { () -> Result<PluginLibrary, BridgeError> in
            do throws(BridgeError) {
                let checked = try CheckedLibrary(
                    adopting: libraryFile, path: hello.path, shown: hello.shown)
                csys_phase_set(csys_phase_constructor, 0)
                let library = try PluginLibrary(manifest, checked)
                csys_phase_set(csys_phase_entry, 0)
                try library.enter(table)
                return .success(library)
            } catch {
                return .failure(error)
            }
        }
        endFork()
        for change in watch.restore() {
            services.violated(
                .processState, "changed \(change.text) while it was loaded",
                change.isPutBack
                    ? "that was restored"
                    : "that cannot be restored, and stays so in the plugin's process",
                task: 0, plugin: plugin)
        }
        let library = try result.get()
        self.library = library
        var codes = services.registered
        for (name, code) in try library.codes(table, allowed: hello.allowed) { codes[name] = code }
        for (index, handler) in manifest.handlers.enumerated() {
            guard let code = codes[handler.identifier] else { continue }
            let tasks = HandlerTasks(
                services, memory, code, handler: index, places: handler.maxConcurrency,
                plugin: plugin,
                roles)
            guard tasks.start(kind: handler.kind.isShort ? "curfew-refresh" : "curfew-process")
            else {
                throw BridgeError(.exhausted, "the plugin's process can have no further thread")
            }
        }
        self.codes = codes
        return codes
    }

    private var codes: [String: HandlerCode] = [:]

    // MARK: Calls

    private func expire(_ order: ChannelControl) {
        let index = Int(order.handler)
        if index < manifest.handlers.count, let code = codes[manifest.handlers[index].identifier],
            let expired = code.expired
        {
            csys_phase_set(csys_phase_callback, order.task)
            roles.during(.deadline) {
                expired(code.data, code.api, order.task, Int32(truncatingIfNeeded: order.value))
            }
            endFork()
        }
        channel.post(
            .callbackReturned, task: order.task, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Calls a sub by its selector, or a continuation by its token.
    private func deliver(_ order: ChannelControl) {
        var reader = message(of: order)
        csys_phase_set(csys_phase_sub, 0)
        roles.during(.worker) {
            if let token = reader.number(UInt64.self), token != 0 {
                guard let status = reader.number(Int32.self), let values = reader.values() else {
                    return
                }
                services.takeContinuation(token)?(Status(rawValue: status), values)
            } else if let selector = reader.selector(), let values = reader.values(),
                let signature = EventSignature(
                    name: selector.name, parameters: values.map(\.type))
            {
                library?.sub(signature)?(values)
            }
        }
        endFork()
        done(order)
    }

    /// Ends a fork of the plugin's that has returned from its code: it has no channel.
    private func endFork() {
        if !csys_is_process(process) { csys_exit_at_once(70) }
    }

    private func findSub(_ order: ChannelControl) {
        var reader = message(of: order)
        var writer = ChannelWriter()
        var isFound = false
        if let selector = reader.selector(), let values = reader.values(),
            let signature = EventSignature(name: selector.name, parameters: values.map(\.type))
        {
            isFound = library?.sub(signature) != nil
        }
        writer.add(isFound)
        done(order, writer)
    }
}
