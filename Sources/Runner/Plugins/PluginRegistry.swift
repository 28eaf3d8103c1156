// SPDX-License-Identifier: Apache-2.0
package import CCurfew
package import PluginBridge
package import Scheduling

/// Finds, loads and retires the plugins of a host, and registers their handlers.
package final class PluginRegistry: Sendable {
    let engine: TaskEngine
    let requests: RequestService
    let plugins: PluginList
    let threads: HostThreads
    let log: HostLog
    private let configured: Locked<HostConfiguration>
    /// The table of the embedder's own handlers and threads.
    let ownTable: PluginTable
    /// Waits for processes.
    let children: ChildThread
    /// The programs of handlers.
    let commands: CommandRunner
    /// The processes of plugins.
    let processes: ChildProcesses
    /// The plugins that are not run.
    let quarantine: Quarantine
    /// Counts the embedder's threads that are loading a plugin.
    let loadGate = CallGate()
    /// One thread at a time discovers plugins.
    let discovering = Locked<Void>(())

    init(
        _ engine: TaskEngine, _ requests: RequestService, _ plugins: PluginList,
        _ configuration: HostConfiguration
    ) {
        self.engine = engine
        self.requests = requests
        self.plugins = plugins
        threads = engine.threads
        log = engine.log
        configured = Locked(configuration)
        let groups = ControlGroups(entersLeaf: configuration.entersLeafGroup)
        children = ChildThread(engine.threads, engine.phase, groups, helper: configuration.helper)
        commands = CommandRunner(engine, requests, plugins, children)
        processes = ChildProcesses(children, executes: configuration.executesProcesses)
        quarantine = Quarantine(requests)
        ownTable = RetiredTables.take("")
        serve(ownTable, plugin: PluginList.embedder)
    }

    /// Connects a plugin's table to this host.
    func serve(_ table: PluginTable, plugin: Int32) {
        table.serve(
            PluginServices(engine, requests, plugins), plugin: plugin, owner: threads.owner)
    }

    /// The table that is passed to the embedder's own handlers.
    package var table: UnsafePointer<curfew_host_api> { ownTable.api }

    // MARK: The configuration

    /// The configuration by which plugins are loaded from now on.
    var configuration: HostConfiguration { configured.withLock { $0 } }

    /// Takes from another configuration where and how plugins run that are loaded from now on. Plugins that are loaded
    /// already do not change, nor does how processes are started and ended. Any thread may call.
    package func setPolicy(of other: HostConfiguration) {
        configured.withLock { own in
            own.isolation = other.isolation
            own.pluginIsolation = other.pluginIsolation
            own.forcedIsolation = other.forcedIsolation
            own.confinesPlugins = other.confinesPlugins
            own.requiredFeatures = other.requiredFeatures
            own.disabledPlugins = other.disabledPlugins
            own.processLimits = other.processLimits
            own.pluginLimits = other.pluginLimits
            own.trust = other.trust
        }
    }

    /// Drops the plugins from `current` that were not loaded and whose directories have no manifest any more.
    package func forgetMissing() { plugins.forget { !Self.isPlugin($0.directory) } }

    // MARK: The list

    /// The plugins without those that were not loaded and whose directories have other plugins now, or none.
    package var current: [PluginRecord] { plugins.current }

    package var all: [PluginRecord] { plugins.all }

    package func status(
        of plugin: PluginRecord
    ) -> (status: PluginRecord.Status, reason: String) { plugins.status(of: plugin) }

    /// Whether the configuration has a plugin disabled.
    package func isDisabled(_ plugin: String) -> Bool {
        configuration.disabledPlugins.contains(plugin)
    }

    /// Where the code of a plugin that was loaded runs, with its process if it has one of its own.
    package func code(of plugin: PluginRecord) -> (isolation: Isolation?, process: PluginProcess?) {
        guard let code = plugins.update({ plugin.code }) else { return (nil, nil) }
        let process = code.process
        return ((code as? ChildCode)?.isolation ?? .thread, process)
    }

    /// The digest of its content and the id of the key that has signed it, as far as the host has looked.
    package func origin(of plugin: PluginRecord) -> (content: String?, signer: String?) {
        plugins.update { (plugin.content, plugin.signer) }
    }

    /// Keeps a text as long as the host.
    package func text(_ text: String, of plugin: PluginRecord) -> UnsafePointer<CChar> {
        plugin.texts.keep(text)
    }

    /// The reason for a plugin's failure as a string that lives as long as the host, or "".
    package func reasonText(of plugin: PluginRecord) -> UnsafePointer<CChar> {
        plugin.texts.keep(plugins.status(of: plugin).reason)
    }

    // MARK: Handlers

    /// Registers a handler of the embedder and raises `registering<event>_done`.
    ///
    /// - Parameter owner: kept alive as long as the functions may be called.
    package func register(
        _ description: HandlerDescription, run: @escaping curfew_run_function,
        expired: curfew_expired_function?, data: UnsafeMutableRawPointer?, owner: AnyObject? = nil
    ) throws(BridgeError) -> HandlerRecord {
        try engine.register(
            description,
            HandlerCode(run: run, expired: expired, data: data, api: ownTable.api), owner: owner)
    }

    /// Registers the handler of requests that run programs without a manifest.
    func permitCommands() throws(BridgeError) {
        let description = HandlerDescription(
            identifier: CommandPayload.identifier, kind: .processing,
            maxConcurrency: CommandPayload.limit)
        _ = try engine.register(
            description,
            commands.code(
                nil, directory: "/", concurrency: Int(CommandPayload.limit),
                plugin: PluginList.embedder, ownTable), owner: nil)
    }

    /// Releases a handler from quarantine. Returns `notFound` for an unknown identifier.
    package func release(_ identifier: String) -> Status {
        guard let handler = engine.handlers.find(identifier) else { return .notFound }
        if let port = ChildPort.of(handler.queue) {
            isolated.first { $0.port === port }?.release()
        }
        engine.endQuarantine(of: handler)
        if handler.queue.pointee.code.isQueue {
            plugins.subs(of: handler.queue.pointee.plugin)?.goOn()
        }
        return .ok
    }

    // MARK: Retiring

    /// The plugins that run in processes of their own.
    var isolated: [ChildCode] {
        let records = plugins.all
        return plugins.update { records.compactMap { $0.code as? ChildCode } }
    }

    /// Makes the last call into each plugin in use, one after the other.
    /// Returns the ids of those that have not returned within `limit` ns, which applies to each.
    func retireAll(within limit: UInt64) -> [String] {
        var stuck: [String] = []
        for record in plugins.all {
            let (code, subs) = plugins.update { () -> ((any PluginCode)?, PluginSubs?) in
                guard record.status == .ready else { return (nil, nil) }
                record.status = .retired
                return (record.code, record.subs)
            }
            subs?.end()
            guard let code, code.wantsRetirement else { continue }
            let retirement = PluginRetirement(of: code, record, for: engine)
            retirement.start()
            let deadline = EventLoop.deadline(after: limit)
            if !engine.phase.wait(until: deadline, { retirement.isOver })
                || !threads.awaitEnd(until: deadline)
            {
                stuck.append(record.id)
            }
        }
        return stuck
    }

    /// Lets go of the code of plugins in processes, which have ended: it refers to the list in which it
    /// stands, and both would stay with their descriptors.
    func forgetIsolated() {
        let records = plugins.all
        // Freed outside of the lock of the list.
        let codes = plugins.update { () -> [ChildCode] in
            records.compactMap { record in
                guard let code = record.code as? ChildCode else { return nil }
                record.code = nil
                return code
            }
        }
        withExtendedLifetime(codes) {}
    }

    /// The tables of the embedder and all plugins, with the paths of their libraries.
    var tables: [(library: String, table: PluginTable)] {
        let records = plugins.all
        return [("", ownTable)]
            + plugins.update {
                records.compactMap { record in record.table.map { (record.libraryPath, $0) } }
            }
    }
}
