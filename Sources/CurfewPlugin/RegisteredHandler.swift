// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CurfewValues

/// The error of a task that was stopped before its handler was entered.
private struct NotBegun: Error, CustomStringConvertible {
    var description: String { "told to stop before it began" }
}

/// A handler in one host: the `handler_data` of its registration points to it.
final class RegisteredHandler: Sendable {
    private struct Running {
        let run: TaskRun
        let work: Task<Void, Never>
        /// Whether the host has called the expiration callback.
        var isTold = false
    }

    private let handler: any TaskHandler
    private let running = Locked<[curfew_task: Running]>([:])

    init(_ handler: any TaskHandler) {
        self.handler = handler
    }

    /// Starts the handler's function, and returns when it has ended. A worker calls it.
    func run(
        _ id: curfew_task, _ api: UnsafePointer<curfew_host_api>,
        _ error: UnsafeMutablePointer<curfew_error>
    ) -> curfew_status {
        guard let run = TaskRun(id, api) else {
            return Plugin.fail(CURFEW_STALE, "the task is over before it began", error)
        }
        // Its first job waits in the executor's queue until `drain`.
        let work = Task.detached(executorPreference: run.executor) { [handler] in
            if !run.isOver { run.outcome = await Self.outcome(of: handler, run) }
            run.executor.finish()
        }
        running.withLock { $0[id] = Running(run: run, work: work) }
        // The callback may have come before the line above and found no task to cancel. It does not
        // come again, so the handler is not entered.
        let isTooLate = running.withLock { running in
            guard running[id]?.isTold == false, api.pointee.is_expired(api, id) else {
                return false
            }
            running[id] = nil
            return true
        }
        if isTooLate { run.outcome = .failure(NotBegun()) }
        run.executor.drain()
        running.withLock { _ = $0.removeValue(forKey: id) }
        run.end()
        return report(run.outcome ?? .failure(NotBegun()), of: run, api, error)
    }

    /// Cancels the Swift task, then calls the handler's `expired`. A deadline thread calls it.
    func expired(_ id: curfew_task, _ reason: curfew_reason) {
        let found = running.withLock { running in
            running[id]?.isTold = true
            return running[id]
        }
        guard let found else { return }  // it is over, or has not begun: see `run`
        found.run.expired(for: reason)
        found.work.cancel()
        handler.expired(HandlerTask(run: found.run), reason: StopReason(reported: reason) ?? .host)
    }

    private static func outcome(
        of handler: any TaskHandler, _ run: TaskRun
    ) async -> Result<[UInt8], any Error> {
        do {
            return .success(try await handler.run(HandlerTask(run: run)))
        } catch {
            return .failure(error)
        }
    }

    private func report(
        _ outcome: Result<[UInt8], any Error>, of run: TaskRun,
        _ api: UnsafePointer<curfew_host_api>, _ error: UnsafeMutablePointer<curfew_error>
    ) -> curfew_status {
        switch outcome {
        case .success(let result):
            if result.isEmpty { return curfew_status(CURFEW_OK) }
            let verdict = result.withUnsafeBytes {
                api.pointee.complete(
                    api, run.id, curfew_status(CURFEW_OK), nil, 0, $0.baseAddress, UInt64($0.count))
            }
            // Every other status concerns the task and not its result; the host knows it.
            guard verdict == CURFEW_TOO_LARGE else { return curfew_status(CURFEW_OK) }
            return Plugin.fail(
                CURFEW_TOO_LARGE,
                "the work was done, but its result has \(result.count) bytes, more than the "
                    + "host takes",
                error)
        case .failure(let failure):
            var text = String(describing: failure)
            if failure is CancellationError,
                let reason = StopReason(reported: run.info()?.reason ?? run.lastReason)
            {
                text = "stopped because \(reason)"
            }
            if text.utf8.count >= Plugin.messageLimit {
                _ = text.withCString {
                    api.pointee.complete(
                        api, run.id, curfew_status(CURFEW_FAILED), $0, UInt64(text.utf8.count), nil,
                        0)
                }
            }
            return Plugin.fail(CURFEW_FAILED, text, error)
        }
    }
}

extension StopReason {
    /// Reads the reason that a host reports; returns nil if the task was not stopped.
    init?(reported: Int32) {
        guard reported != 0 else { return nil }
        self = UInt8(exactly: reported).flatMap(StopReason.init(rawValue:)) ?? .host
    }
}
