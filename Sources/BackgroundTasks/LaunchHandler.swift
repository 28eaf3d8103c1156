// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Dispatch
import Foundation

/// A launch handler, as it was registered.
final class LaunchHandler: Sendable {
    static let running = RunningTasks()

    let identifier: String
    private let queue: DispatchQueue?
    private let body: AppClosure<BGTask>
    private let host: AppHost
    /// It was registered after the app had finished launching, and that was not logged yet.
    private let isLate: Locked<Bool>

    init(
        _ identifier: String, _ queue: DispatchQueue?, _ host: AppHost,
        _ body: AppClosure<BGTask>
    ) {
        self.identifier = identifier
        self.queue = queue
        self.host = host
        self.body = body
        isLate = Locked(AppHost.life.stage != .launching)
    }

    /// Returns the handler of an identifier that matches the wildcard.
    func named(_ identifier: String) -> LaunchHandler {
        LaunchHandler(identifier, queue, host, body)
    }

    /// Logs once that the handler was registered too late, when it is used for a request to which
    /// that applies. At registration that is unknown, since handlers of continued processing may be
    /// registered at any time.
    func warnIfLate() {
        guard isLate.exchange(false) else { return }
        host.log(
            .warning,
            "All launch handlers must be registered before application finishes launching: \(identifier)"
        )
    }

    /// Registers it with the host, which keeps it for the life of the process.
    func register() throws(AppRegistryFailure) {
        let data = Unmanaged.passRetained(self)
        let answer = identifier.withCString { name -> Result<Void, AppRegistryFailure> in
            var handler = curfew_handler()
            handler.struct_size = UInt32(MemoryLayout<curfew_handler>.size)
            handler.identifier = name
            handler.handler_data = data.toOpaque()
            handler.run = runLaunchHandler
            handler.expired = expireLaunchedTask
            return Result { () throws(AppRegistryFailure) in
                try host.registry.register(handler, kind: Int32(CURFEW_KIND_PROCESSING))
            }
        }
        if case .failure = answer { data.release() }
        try answer.get()
    }

    /// Hands a task to the app, on its queue; the worker goes on.
    fileprivate func handOver(_ id: curfew_task, _ api: UnsafePointer<curfew_host_api>) {
        let launch = TaskLaunch(id, api, identifier: identifier, host: host, queue: queue)
        guard let launch else { return }
        if launch.kind != Int32(CURFEW_KIND_CONTINUED_PROCESSING) { warnIfLate() }
        let task = Self.make(launch)
        Self.running.note(task)
        // A fresh one for each run, as Apple's is: what one run leaves behind holds up no other.
        let queue =
            queue ?? DispatchQueue(label: "BGTaskScheduler.\(identifier)", qos: .background)
        AppHost.life.whenLaunched { [body] in
            queue.async { body.body(task) }
        }
        // Told to stop before it could be found.
        if launch.isExpired { Self.expire(task) }
    }

    private static func make(_ launch: TaskLaunch) -> BGTask {
        switch launch.kind {
        case Int32(CURFEW_KIND_APP_REFRESH): BGAppRefreshTask(launch)
        case Int32(CURFEW_KIND_HEALTH_RESEARCH): BGHealthResearchTask(launch)
        case Int32(CURFEW_KIND_CONTINUED_PROCESSING): BGContinuedProcessingTask(launch)
        default: BGProcessingTask(launch)
        }
    }

    /// Expires a task on the queue it was launched on, after what that has begun; without a registered
    /// queue on one of the system's, beside the launch handler. The thread that expires tasks does not
    /// wait for the app, and the grace goes on meanwhile.
    fileprivate static func expire(_ task: BGTask) {
        AppHost.life.whenLaunched {
            (task.launch.queue ?? .global(qos: .background)).async {
                task.expire()
                running.rest(task.launch.task)
            }
        }
    }
}

private func runLaunchHandler(
    _ data: UnsafeMutableRawPointer?, _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task,
    _ error: UnsafeMutablePointer<curfew_error>
) -> curfew_status {
    Unmanaged<LaunchHandler>.fromOpaque(data!).takeUnretainedValue().handOver(task, api)
    return curfew_status(CURFEW_PENDING)
}

private func expireLaunchedTask(
    _ data: UnsafeMutableRawPointer?, _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task,
    _ reason: curfew_reason
) {
    if let task = LaunchHandler.running.find(task) { LaunchHandler.expire(task) }
}
