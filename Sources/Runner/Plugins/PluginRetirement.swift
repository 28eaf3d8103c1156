// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Synchronization

/// The last call into a plugin, on its own thread, so that a blocked plugin does not block the
/// thread that destroys the host.
final class PluginRetirement: Sendable {
    private let engine: TaskEngine
    private let number: Int32
    private let code: any PluginCode
    private let over = Atomic<Bool>(false)

    init(of code: any PluginCode, _ record: PluginRecord, for engine: TaskEngine) {
        self.engine = engine
        self.code = code
        number = record.number
    }

    var isOver: Bool { over.load(ordering: .sequentiallyConsistent) }

    /// Starts the thread. If that fails, the calling thread makes the call: a plugin that is not
    /// retired keeps its resources.
    func start() {
        let isStarted = engine.threads.start { [self] in
            csys_thread_name("curfew-retire")
            run()
        }
        if !isStarted { run() }
    }

    private func run() {
        // In this role a thread cannot destroy the host or load plugins.
        engine.threads.during(.loading) { code.retire() }
        engine.children.endIfChild(task: 0, plugin: number)
        over.store(true, ordering: .sequentiallyConsistent)
        engine.phase.progressed()
    }
}
