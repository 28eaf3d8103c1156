// SPDX-License-Identifier: Apache-2.0
import CSystem
package import PluginBridge
package import Scheduling
import Synchronization

/// A host, assembled from its parts: each part knows the parts below it, and none the host.
package final class HostRuntime: Sendable {
    package let configuration: HostConfiguration
    package let engine: TaskEngine
    package let loop: EventLoop
    /// Requests, which become tasks when they are due.
    package let requests: RequestService
    /// Plugins, which provide the handlers.
    package let plugins: PluginRegistry
    /// Modules and instances with subs.
    package let targets: TargetDirectory
    private let shutdown: HostShutdown

    /// Makes a host and starts its deadline threads, and its loop thread unless the embedder runs
    /// it. Workers are started on demand.
    package init(_ configuration: HostConfiguration = HostConfiguration()) throws(BridgeError) {
        if let fault = configuration.fault {
            throw BridgeError(.invalid, "the configuration cannot be used: \(fault)")
        }
        var configuration = configuration
        // Practically never, without overflow when added to a time.
        configuration.lostAfter = min(configuration.lostAfter, 1 << 62)
        self.configuration = configuration
        func made<T>(_ part: T?, _ name: String) throws(BridgeError) -> T {
            guard let part else {
                throw BridgeError(.system, "no address space is left for the table of \(name)")
            }
            return part
        }
        let threads = HostThreads()
        let phase = HostPhase()
        let list = PluginList()
        let tasks = try made(TaskTable(limit: configuration.taskLimit), "tasks")
        let handlers = try made(HandlerTable(), "handlers")
        let log = HostLog(configuration.log, threads, tasks, handlers)
        let violations = try made(
            ContractViolations(log, list, tasks, handlers, phase), "contract violations")
        let events = try EventQueue(
            limit: configuration.eventLimit, manualDispatch: configuration.manualDispatch)
        let directory = try made(EventDirectory(events.counters), "events")
        let claims = try HandlerClaims(configuration, handlers, directory, list)
        let children = ForkedChildren(threads, waking: events.descriptor)
        let deadlines = Deadlines(
            HostClock(manual: configuration.clock), tasks, lostAfter: configuration.lostAfter)
        engine = TaskEngine(
            configuration, tasks: tasks, handlers: handlers, events: events,
            directory: directory, deadlines: deadlines, phase: phase, threads: threads,
            children: children, claims: claims, log: log, violations: violations)
        loop = EventLoop(
            events, directory, tasks, phase, threads, children, violations,
            isEmbedders: configuration.manualDispatch)
        requests = RequestService(engine, configuration.requests)
        plugins = PluginRegistry(engine, requests, list, configuration)
        targets = TargetDirectory(loop, deadlines, log)
        shutdown = HostShutdown(engine, loop, requests, plugins, targets)
        engine.observe { [weak requests] in requests?.stateChanged($0) }
        directory.observeFactorSubscriptions { [weak requests] in requests?.watchFactors() }
        guard DeadlineThread.startFirst(of: engine), configuration.manualDispatch || loop.start()
        else {
            shutdown.abandonStart()
            throw BridgeError(
                .system, "no thread could be started; raise the limit of processes (ulimit -u)")
        }
        if configuration.permitsCommands {
            do throws(BridgeError) {
                try plugins.permitCommands()
            } catch {
                shutdown.abandonStart()
                throw error
            }
        }
        do throws(RequestFailure) {
            try requests.openStore()
        } catch {
            shutdown.abandonStart()
            throw BridgeError(error.status, error.message)
        }
        plugins.openQuarantine()
        configuration.clock?.join(
            ClockMember(threads: threads, deadlines: deadlines, requests: requests, loop: loop))
    }

    /// Waits until a task has ended, at most `timeout` ns of real time.
    package func wait(_ id: UInt64, timeout: UInt64) -> (status: Status, state: TaskState?) {
        TaskWait(engine: engine, loop: loop).wait(id, timeout: timeout)
    }

    package func log(_ level: LogLevel, _ text: String) { engine.log(level, nil, 0, text) }

    // MARK: Ending

    package var isOpen: Bool { engine.phase.isOpen }
    package var isClosed: Bool { engine.phase.isClosed }

    /// Ends the host's work in bounded phases. A second call waits for the first.
    package func shutDown(_ limits: ShutdownLimits = ShutdownLimits()) throws(BridgeError) {
        try shutdown.run(limits)
    }

    /// Leaves tasks no longer than this to end, in nanoseconds from now, once or while the host is shut down. Any thread
    /// may call.
    package func hurryShutdown(_ limit: UInt64) { shutdown.hurry(limit) }

    /// The nanoseconds in which `shutDown` will have ended, as far as can be said now.
    package func longestShutdown(_ limits: ShutdownLimits) -> UInt64 { shutdown.longest(limits) }

    /// Destroys the host: shuts it down if necessary, retires the plugins and frees the memory.
    ///
    /// The host must not be used afterwards. A second call does nothing. Throws `TIMED_OUT` when a
    /// thread did not return: everything it may access is kept for the life of the process. Throws
    /// `WRONG_THREAD` without having done anything.
    package func destroy(_ limits: ShutdownLimits = ShutdownLimits()) throws(BridgeError) {
        try shutdown.destroy(limits)
    }

    /// Number of hosts destroyed while a thread was inside plugin code.
    package static var leakedHosts: UInt32 { HostShutdown.leaked.load(ordering: .relaxed) }
}
