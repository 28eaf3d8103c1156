// SPDX-License-Identifier: Apache-2.0
import PluginBridge
package import Runner

/// A task, held by its launcher: its result stays readable as long as this does.
public final class LaunchedTask: Sendable {
    /// The id by which the host and its events know it.
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

    /// Where it is now.
    public var phase: TaskPhase { state.phase }

    /// The last fraction that its handler reported, 0…1.
    public var progress: Double { state.progress }

    // MARK: Its end

    /// Its result, once it is over. Waits without blocking a thread; when this Swift task is
    /// cancelled it waits on, since the task goes on too: cancel that.
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

    /// Its result; nil while it is not over.
    public var resultIfOver: TaskResult? {
        let state = state
        return state.outcome.map { result($0, of: state) }
    }

    /// Blocks this thread until it is over, at most `limit` of real time; on the loop's own thread it
    /// runs the loop meanwhile.
    ///
    /// Throws `.timedOut`, `.closing` when the shutdown begins, or `.wrongThread` on one of the
    /// host's workers or deadline threads.
    @discardableResult
    public func waitForResult(atMost limit: Duration = .hours(1)) throws(CurfewError) -> TaskResult
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

    // MARK: Steering it

    /// Cancels it: one that has not started never will, one that runs is told to stop. Returns
    /// false when it is over, or was told to stop before.
    @discardableResult
    public func cancel() -> Bool { host.runtime.engine.cancel(id) == .ok }

    /// Tells it to stop while it runs, for `.condition` or `.host`. Returns false for other reasons,
    /// before it has started, and when it is over or was told to stop before.
    @discardableResult
    public func stop(_ reason: StopReason) -> Bool {
        host.runtime.engine.stopTask(id, reason) == .ok
    }

    /// Holds it back while it has not started. Returns false once it has.
    @discardableResult
    public func pause() -> Bool { host.runtime.engine.hold(id) == .ok }

    /// Undoes `pause`; it goes to the end of its queue if its turn came meanwhile. Returns false when
    /// it was not held back, and when the queue is full.
    @discardableResult
    public func resume() -> Bool { host.runtime.engine.resumeTask(id) == .ok }
}
