// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Synchronization

/// The last call into a plugin, on a thread of its own: a plugin that does not come back from it
/// keeps that thread, not the one that destroys the host.
final class PluginRetirement: Sendable {
    private let engine: TaskEngine
    private let number: Int32
    private let library: PluginLibrary
    private let over = Atomic<Bool>(false)

    init(of library: PluginLibrary, _ record: PluginRecord, for engine: TaskEngine) {
        self.engine = engine
        self.library = library
        number = record.number
    }

    /// True once the plugin has returned.
    var isOver: Bool { over.load(ordering: .sequentiallyConsistent) }

    /// Starts the thread. Where the system has none to give, the calling thread makes the call: a
    /// plugin that is not told keeps what it holds.
    func start() {
        let raw = Unmanaged.passRetained(self)
        let isStarted = engine.threads.start(
            {
                csys_thread_name("curfew-retire")
                Unmanaged<PluginRetirement>.fromOpaque($0!).takeRetainedValue().run()
            }, raw.toOpaque())
        guard !isStarted else { return }
        raw.release()
        run()
    }

    private func run() {
        // The host must not be destroyed, nor anything loaded, from there.
        engine.threads.during(.loading) { library.retire() }
        engine.children.endIfChild(task: 0, plugin: number)
        over.store(true, ordering: .sequentiallyConsistent)
        engine.phase.progressed()
    }
}
