// SPDX-License-Identifier: Apache-2.0

import CCurfew
import Glibc
import PluginBridge
import Scheduling
import Synchronization

@testable import Runner

/// A host with one handler, whose function the test gives.
final class TestEngine: Sendable {
    typealias Run = @Sendable (_ task: UInt64) -> Status

    private final class Function: Sendable {
        let run: Run
        init(_ run: @escaping Run) { self.run = run }
    }

    let host: HostRuntime
    let clock = ManualClock()
    let handler: HandlerRecord

    var engine: TaskEngine { host.engine }

    /// Done events that were delivered: task, success, text.
    let done = Locked<[(task: UInt64, success: Bool, error: String)]>([])

    init(
        queueLimit: UInt32 = 64, maxConcurrency: UInt32 = 1, kind: TaskKind = .appRefresh,
        observesDone: Bool = false, _ run: @escaping Run = { _ in .ok }
    ) throws {
        var configuration = HostConfiguration()
        configuration.clock = clock
        configuration.queueLimit = queueLimit
        configuration.log = { _, _, _, _ in }
        host = try HostRuntime(configuration)
        var description = HandlerDescription(identifier: "org.example.work", kind: kind)
        description.maxConcurrency = maxConcurrency
        let function = Function(run)
        handler = try host.plugins.register(
            description,
            run: { data, _, task, _ in
                Unmanaged<Function>.fromOpaque(data!)._withUnsafeGuaranteedRef { $0.run(task) }
                    .rawValue
            }, expired: nil, data: Unmanaged.passUnretained(function).toOpaque(), owner: function)
        guard observesDone else { return }
        let receiver = EventReceiver.closure { [done] event in
            guard case .bool(let success) = event.values[0], case .text(let error) = event.values[1]
            else { return }
            done.withLock { $0.append((event.task, success, error)) }
        }
        _ = host.loop.subscribe(
            EventSelector(name: "\(description.event)_done", arity: 2), receiver)
    }

    /// Waits until a task is over, at most 10 s.
    func wait(_ task: UInt64) -> TaskState? { host.wait(task, timeout: 10_000_000_000).state }

    /// Returns once the function of a task has returned that it is pending.
    func awaitPending(_ task: UInt64) {
        while engine.deadlines.pending == 0 || engine.query(task)?.isReturned != true {
            sched_yield()
        }
    }

    func complete(_ task: UInt64, _ status: Status = .ok) -> Status {
        engine.complete(
            task, status, error: nil, result: UnsafeRawBufferPointer(start: nil, count: 0),
            plugin: PluginList.embedder)
    }

    /// Ends a task that the test's own thread has taken. Returns whether it counted as lost.
    func returned(_ task: TaskReference, _ status: Status) -> Bool {
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        return engine.functionReturned(task, handler.queue, status, &error, armed: true)
    }

    func end() { try? host.destroy() }
}
