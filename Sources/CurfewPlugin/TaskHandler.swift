// SPDX-License-Identifier: Apache-2.0

/// The code that a plugin registers under one identifier; it does the work of a task.
///
/// Each host that loads the plugin has one handler object, which is released when that host no
/// longer needs the plugin.
public protocol TaskHandler: Sendable {
    /// Does the work of one task, on the worker thread of the host.
    ///
    /// The task's budget starts when the worker enters it. All of its code, before and after an
    /// `await`, runs on that thread, and so do its child tasks (`async let`, task groups): a
    /// handler that blocks or computes for long delays only itself. `Task {}` and `Task.detached`
    /// run on Swift's global pool and are not waited for. The main actor may have no thread inside
    /// a host, so do not wait for it.
    ///
    /// When the task has to stop, the Swift task is cancelled: `Task.isCancelled` is true,
    /// `Task.checkCancellation()` and `Task.sleep` throw. Then the grace runs, and the function
    /// should return. With `maxConcurrency` above 1 it is entered for several tasks at the same
    /// time.
    ///
    /// - Returns: bytes for the launcher; empty for none. If they exceed the host's limit, by
    ///   default 1 MiB, the task fails.
    /// - Throws: any error. The task failed, and its done event carries `String(describing:
    ///   error)`, so give errors a `description` with the fault, its place and the next step. A
    ///   `CancellationError` after the task was stopped means only that.
    func run(_ task: HandlerTask) async throws -> [UInt8]

    /// Notifies the handler that a task has to stop, at most once for a task; the default does
    /// nothing.
    ///
    /// Implement it only for work that cancellation does not reach, such as a call into a C library
    /// with an interrupt function of its own. A deadline thread of the host calls it concurrently
    /// with `run`, right after the Swift task was cancelled. It should return soon. If `run` has
    /// returned meanwhile, `task` behaves like a task that is over.
    func expired(_ task: HandlerTask, reason: StopReason)
}

extension TaskHandler {
    public func expired(_ task: HandlerTask, reason: StopReason) {}
}
