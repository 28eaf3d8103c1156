// SPDX-License-Identifier: Apache-2.0
import PluginBridge
package import Runner

/// A launched task. Its result stays readable as long as this object exists.
public final class LaunchedTask: Sendable {
    /// The id of the task in the host and its events.
    public let id: UInt64
    let host: Host

    init(id: UInt64, host: Host) {
        self.id = id
        self.host = host
    }

    deinit { _ = host.runtime.engine.release(id) }

    package var state: TaskState {
        guard let state = host.runtime.engine.query(id) else {
            preconditionFailure("a task that is held was freed")
        }
        return state
    }

    /// The current phase.
    public var phase: TaskPhase { state.phase }

    /// The fraction that its handler reported last, 0…1.
    public var progress: Double { state.progress }

    // MARK: Result

    /// The result, once the task is over. Awaiting it blocks no thread. Cancelling the Swift task
    /// that awaits it does not end the wait, since the task goes on: call `cancel` for that.
    public var result: TaskResult {
        get async {
            await withCheckedContinuation { continuation in
                let found = host.runtime.engine.whenOver(id) { continuation.resume() }
                precondition(found, "a task that is held was freed")
            }
            guard let result = resultIfOver else {
                preconditionFailure("a task was announced before it was over")
            }
            return result
        }
    }

    /// The result; nil while the task is not over.
    package var resultIfOver: TaskResult? {
        let state = state
        return state.outcome.map { result($0, of: state) }
    }

    /// Blocks this thread until the task is over, at most `limit` of real time. On the loop's own
    /// thread it runs the loop meanwhile.
    ///
    /// Throws `.timedOut`, `.closing` when the shutdown begins, or `.wrongThread` on a worker or
    /// deadline thread of the host.
    @discardableResult
    public func waitForResult(within limit: Duration = .hours(1)) throws(CurfewError) -> TaskResult
    {
        let (status, state) = host.runtime.wait(id, timeout: limit.inNanoseconds)
        try CurfewError.check(status, "waiting for a task")
        let now = state ?? self.state
        return result(now.outcome ?? .interrupted, of: now)
    }

    private func result(_ outcome: Outcome, of state: TaskState) -> TaskResult {
        TaskResult(
            outcome: outcome, stopReason: state.reason,
            error: String(decoding: read(.error, state.errorBytes), as: UTF8.self),
            answer: host.runtime.engine.answer(of: id), bytes: read(.result, state.resultBytes))
    }

    private func read(_ part: TaskEngine.Part, _ bytes: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: bytes)
        let (status, length) = buffer.withUnsafeMutableBytes {
            host.runtime.engine.read(part, of: id, into: $0)
        }
        return status == .ok ? Array(buffer.prefix(length)) : []
    }

    // MARK: Control

    /// Cancels the task: one that has not started never starts, one that runs is stopped. Returns
    /// false if it is over, or was stopped before.
    @discardableResult
    public func cancel() -> Bool { host.runtime.engine.cancel(id) == .ok }

    /// Stops the task while it runs, for `.condition` or `.host`. Returns false for other reasons,
    /// before the task has started, and if it is over or was stopped before.
    @discardableResult
    public func stop(_ reason: StopReason) -> Bool {
        host.runtime.engine.stopTask(id, reason) == .ok
    }

    /// Pauses the task before it starts. Returns false once it has started.
    @discardableResult
    public func pause() -> Bool { host.runtime.engine.hold(id) == .ok }

    /// Undoes `pause`. If a worker skipped the task meanwhile, it goes to the end of its queue.
    /// Returns false if the task was not paused, or the queue is full.
    @discardableResult
    public func resume() -> Bool { host.runtime.engine.resumeTask(id) == .ok }
}
