// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import CurfewValues
import PluginBridge
import Synchronization

/// The tasks of one handler that the host offers to a plugin's process, and the workers that run them.
final class HandlerTasks: @unchecked Sendable {
    // Sendable: the position is locked, the rest is constant.

    /// A task that was taken.
    struct Taken {
        let id: UInt64
        let position: UInt64
    }

    private let services: RemoteServices
    private let memory: ChannelMemory
    private let code: HandlerCode
    private let handler: Int
    private let places: Int
    private let plugin: Int32
    private let roles: ThreadRoles
    private let process = csys_process_mark()
    /// The number of tasks that were looked at.
    private let head = Locked<UInt64>(0)

    init(
        _ services: RemoteServices, _ memory: ChannelMemory, _ code: HandlerCode, handler: Int,
        places: Int, plugin: Int32, _ roles: ThreadRoles
    ) {
        self.services = services
        self.memory = memory
        self.code = code
        self.handler = handler
        self.places = places
        self.plugin = plugin
        self.roles = roles
    }

    /// Starts to run tasks. Returns false when no thread can be started.
    func start(kind: String) -> Bool {
        Crew<Taken>(
            limit: places, memory.bell(handler),
            begin: { [roles] in
                csys_thread_name(kind)
                roles.join(as: .worker)
            }, hasWork: { self.hasNext }, take: { self.take() }, run: { self.run($0) }
        ).start()
    }

    private var hasNext: Bool {
        memory.tail(handler).pointee.load(ordering: .sequentiallyConsistent)
            != head.withLock { $0 }
    }

    /// Takes the oldest offered task that was not recalled.
    private func take() -> Taken? {
        head.withLock { head in
            let tail = memory.tail(handler).pointee.load(ordering: .acquiring)
            while head != tail {
                let position = head
                head += 1
                let gate = memory.gate(handler, position)
                let id = gate.pointee.task.load(ordering: .acquiring)
                guard id != 0, id & ChannelGate.taken == 0 else { continue }
                gate.pointee.takenAt.store(memory.now, ordering: .relaxed)
                if gate.pointee.task.compareExchange(
                    expected: id, desired: id | ChannelGate.taken,
                    ordering: .sequentiallyConsistent
                ).exchanged {
                    return Taken(id: id, position: position)
                }
            }
            return nil
        }
    }

    private func run(_ task: Taken) {
        withUnsafeTemporaryAllocation(of: curfew_error.self, capacity: 1) { buffer in
            let error = buffer.baseAddress!
            error.initialize(to: curfew_error())
            error.pointee.struct_size = UInt32(MemoryLayout<curfew_error>.size)
            let line = memory.line(UInt32(truncatingIfNeeded: task.id))
            let isRequests = line.pointee.request != 0
            let before = isRequests ? csys_thread_cpu_ns() : 0
            csys_phase_function_begins(task.id, before)
            let status = Status(rawValue: code.run(code.data, code.api, task.id, error))
            // A fork of the function's that has returned from it is no worker.
            if !csys_is_process(process) { csys_exit_at_once(70) }
            csys_phase_set(csys_phase_idle, 0)
            let spent = isRequests ? csys_thread_cpu_ns() &- before : 0
            let head = ReturnedHead(
                status: status, handler: handler, position: task.position, processorTime: spent)
            guard status != .ok, status != .pending else {
                return services.returned(
                    task.id, head, message: UnsafeRawBufferPointer(start: nil, count: 0))
            }
            // As the plugin wrote it: the host repairs and reports it, as in a thread.
            ErrorBuffer.withMessage(error) { services.returned(task.id, head, message: $0) }
        }
    }
}
