// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Runner
import Scheduling

/// Swift closures behind the C functions of a handler.
final class HandlerClosures: Sendable {
    let run: @Sendable (RunningTask) throws -> Void
    let expired: (@Sendable (RunningTask, StopReason) -> Void)?

    init(
        run: @escaping @Sendable (RunningTask) throws -> Void,
        expired: (@Sendable (RunningTask, StopReason) -> Void)?
    ) {
        self.run = run
        self.expired = expired
    }

    /// Registers the closures. The host keeps them until it is gone, or for ever if a lost worker
    /// is inside them then.
    func register(
        _ description: HandlerDescription, in runtime: HostRuntime
    ) throws(BridgeError) -> HandlerRecord {
        try runtime.plugins.register(
            description, run: runClosures, expired: expired == nil ? nil : expireClosures,
            data: Unmanaged.passUnretained(self).toOpaque(), owner: self)
    }
}

private func runClosures(
    _ data: UnsafeMutableRawPointer?, _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task,
    _ error: UnsafeMutablePointer<curfew_error>
) -> curfew_status {
    let closures = Unmanaged<HandlerClosures>.fromOpaque(data!).takeUnretainedValue()
    do {
        try closures.run(RunningTask(id: task, api: api))
        return Status.ok.rawValue
    } catch let failure {
        ErrorBuffer.fill(error, .failed, String(describing: failure))
        return Status.failed.rawValue
    }
}

private func expireClosures(
    _ data: UnsafeMutableRawPointer?, _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task,
    _ reason: curfew_reason
) {
    let closures = Unmanaged<HandlerClosures>.fromOpaque(data!).takeUnretainedValue()
    closures.expired?(
        RunningTask(id: task, api: api), StopReason(rawValue: UInt8(clamping: reason)) ?? .budget)
}
