// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import Dispatch

/// One launch in the host: the connection from Apple's task to Curfew's.
struct TaskLaunch: @unchecked Sendable {
    // Sendable: the table may be used from any thread.
    let identifier: String
    let task: curfew_task
    let api: UnsafePointer<curfew_host_api>
    /// The payload of the request.
    let payload: [UInt8]
    /// One of the constants `CURFEW_KIND_…`.
    let kind: Int32
    let host: AppHost
    /// The queue that its handler was registered with.
    let queue: DispatchQueue?

    /// Returns nil if the task is gone already.
    init?(
        _ task: curfew_task, _ api: UnsafePointer<curfew_host_api>, identifier: String,
        host: AppHost, queue: DispatchQueue?
    ) {
        let info = UnsafeMutablePointer<curfew_task_info>.allocate(capacity: 1)
        defer { info.deallocate() }
        // Its pointers are never NULL once it is filled; before they are.
        UnsafeMutableRawPointer(info).initializeMemory(
            as: UInt8.self, repeating: 0, count: MemoryLayout<curfew_task_info>.size)
        UnsafeMutableRawPointer(info).storeBytes(
            of: UInt32(MemoryLayout<curfew_task_info>.size), as: UInt32.self)
        guard api.pointee.task_info(api, task, info) == curfew_status(CURFEW_OK) else { return nil }
        self.identifier = identifier
        self.task = task
        self.api = api
        self.host = host
        self.queue = queue
        kind = info.pointee.kind
        payload = Array(
            UnsafeRawBufferPointer(
                start: info.pointee.payload, count: Int(info.pointee.payload_bytes)))
    }

    /// Whether the task was stopped.
    var isExpired: Bool { api.pointee.is_expired(api, task) }

    /// Nanoseconds of its budget that are left, on the host's clock.
    var remaining: UInt64 { api.pointee.remaining_ns(api, task) }

    func complete(_ success: Bool, _ text: String = "setTaskCompleted(success: false)") {
        LaunchHandler.running.forget(task)
        let status = curfew_status(success ? CURFEW_OK : CURFEW_FAILED)
        let verdict = text.withCString {
            api.pointee.complete(
                api, task, status, success ? nil : $0, success ? 0 : UInt64(text.utf8.count), nil, 0
            )
        }
        // The answer came after the grace, as the host's log says; it depends on a moment which of the
        // two the verdict is.
        let tooLate = [curfew_status(CURFEW_EXPIRED), curfew_status(CURFEW_STALE)]
        guard tooLate.contains(verdict), let queue else { return }
        host.log(
            .warning,
            "\(identifier) was registered with the queue \(queue.label), on which its expiration handler is called as well; keep that queue free while a task runs, or register with nil"
        )
    }

    /// Abandons a task without references, which no code can complete. Its reference cannot just be
    /// released: the function that delivered it may not have returned yet.
    func abandon(_ line: String) {
        host.log(.error, line)
        complete(false, "dealloc'd without completing")
    }

    func report(_ fraction: Double, _ text: String) {
        text.withCString {
            _ = api.pointee.progress(
                api, task, min(max(fraction.isFinite ? fraction : 0, 0), 1), $0,
                UInt64(text.utf8.count))
        }
    }

    func stop() { try? host.registry.stop(task) }
}
