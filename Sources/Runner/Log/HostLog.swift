// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import Scheduling
import Synchronization

/// The log of a host: the embedder's function, or standard error.
///
/// Must not be called with a lock held, because the function belongs to the embedder.
final class HostLog: Sendable {
    typealias Function = @Sendable (LogLevel, String?, UInt64, String) -> Void

    /// Closed when the host is destroyed, so that the function is not called any more.
    let gate = CallGate()
    private let function: Function?
    private let threads: HostThreads
    private let tasks: TaskTable
    private let handlers: HandlerTable
    /// Lines of threads that hold the lock of a channel.
    private let deferred = Locked<[Line]>([])
    private let deferredCount = Atomic<Int>(0)

    private struct Line {
        let level: LogLevel
        let plugin: String?
        let task: UInt64
        let text: String
    }

    init(
        _ function: Function?, _ threads: HostThreads, _ tasks: TaskTable, _ handlers: HandlerTable
    ) {
        self.function = function
        self.threads = threads
        self.tasks = tasks
        self.handlers = handlers
    }

    /// Writes one log line, with control characters made visible.
    func callAsFunction(_ level: LogLevel, _ plugin: String?, _ task: UInt64, _ text: String) {
        guard threads.role != .channel else {
            deferred.withLock { lines in
                lines.append(Line(level: level, plugin: plugin, task: task, text: text))
                deferredCount.store(lines.count, ordering: .sequentiallyConsistent)
            }
            return
        }
        write(level, plugin, task, text)
    }

    /// Whether lines wait for a thread that holds no lock.
    var hasDeferred: Bool { deferredCount.load(ordering: .sequentiallyConsistent) > 0 }

    /// Writes the lines of threads that held a lock, in their order.
    func writeDeferred() {
        guard hasDeferred else { return }
        let lines = deferred.withLock { lines in
            defer {
                lines = []
                deferredCount.store(0, ordering: .sequentiallyConsistent)
            }
            return lines
        }
        for line in lines { write(line.level, line.plugin, line.task, line.text) }
    }

    private func write(_ level: LogLevel, _ plugin: String?, _ task: UInt64, _ text: String) {
        guard gate.enter() else { return }
        defer { gate.leave() }
        let line = LogLine.clean(text)
        if let function {
            threads.during(.logging) { function(level, plugin, task, line) }
        } else if level >= .warning {
            // The line may name the handler already.
            let handler = identifier(ofTask: task).flatMap { line.contains($0) ? nil : $0 }
            let from = [plugin, handler].compactMap(\.self).joined(separator: ", ")
            var text = "curfew\(from.isEmpty ? "" : " [\(from)]"): \(line)\n"
            text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    private func identifier(ofTask id: UInt64) -> String? {
        guard let task = tasks.find(id), let queue = tasks.slot(task).handlerQueue else {
            return nil
        }
        return handlers[queue.pointee.index].description.identifier
    }
}
