// SPDX-License-Identifier: Apache-2.0
import PluginBridge
public import Runner
public import Scheduling

/// A task as its launcher holds it: its id, outcome and result stay readable as long as this does.
public final class LaunchedTask: Sendable {
    /// The id by which the host and its events know it.
    public let id: UInt64
    let host: Host

    init(id: UInt64, host: Host) {
        self.id = id
        self.host = host
    }

    deinit { _ = host.runtime.engine.release(id) }

    /// Where it is now.
    public var state: TaskState {
        guard let state = host.runtime.engine.query(id) else {
            preconditionFailure("a task that is held was freed")
        }
        return state
    }

    /// How it ended; nil while it has not.
    public var outcomeSoFar: Outcome? { state.outcome }

    /// How it ended, once it has. Waits without a thread; a cancelled Swift task waits on, since the
    /// task goes on too: cancel that.
    public var outcome: Outcome {
        get async {
            await withCheckedContinuation { continuation in
                let found = host.runtime.engine.whenOver(id) { continuation.resume() }
                precondition(found, "a task that is held was freed")
            }
            guard let outcome = outcomeSoFar else {
                preconditionFailure("a task was announced before it was over")
            }
            return outcome
        }
    }

    /// Waits on this thread until it is over, at most `limit` of real time; on the loop's own thread
    /// it turns the loop meanwhile. Throws `CurfewError` with `.timedOut`, `.closing` when the
    /// shutdown begins, or `.wrongThread` on one of the host's workers or watchers.
    @discardableResult
    public func wait(atMost limit: Duration = .seconds(3_600)) throws -> Outcome {
        let (status, state) = host.runtime.wait(id, timeout: limit.inNanoseconds)
        try CurfewError.check(status, "waiting for a task")
        return state?.outcome ?? .interrupted
    }

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

    /// Lets it go again, to the end of its queue if its turn had come meanwhile. Returns false when
    /// it was not held back, and when the queue is full.
    @discardableResult
    public func resume() -> Bool { host.runtime.engine.resumeTask(id) == .ok }

    /// The text of its done event, "" after success and while it is not over.
    public var errorText: String { String(decoding: read(.error), as: UTF8.self) }

    /// What its handler said when it failed or was stopped, also where the done event carries the
    /// host's text; nil when it said nothing.
    public var answer: String? { host.runtime.engine.answer(of: id) }

    /// The bytes it was completed with.
    public var result: [UInt8] { read(.result) }

    private func read(_ part: TaskEngine.Part) -> [UInt8] {
        let state = state
        let bytes = part == .error ? state.errorBytes : state.resultBytes
        var buffer = [UInt8](repeating: 0, count: bytes)
        let (status, length) = buffer.withUnsafeMutableBytes {
            host.runtime.engine.read(part, of: id, into: $0)
        }
        return status == .ok ? Array(buffer.prefix(length)) : []
    }
}
