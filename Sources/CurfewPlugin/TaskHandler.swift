// SPDX-License-Identifier: Apache-2.0

/// The code a plugin registers under one identifier; it does the work of a task.
///
/// There is one handler object for each host that loads the plugin. It lives until that host no
/// longer needs the plugin, and is released then.
public protocol TaskHandler: Sendable {
    /// Does the work of one task, on the worker thread that the host gave it.
    ///
    /// The task's budget starts when it is entered. Every part of it, before and after an
    /// `await`, runs on that one thread, and so do its child tasks (`async let`, task groups): a
    /// handler that blocks or computes for long stops nobody but itself. What leaves that thread
    /// is what asks for another one: `Task {}` and `Task.detached` run on Swift's global pool and
    /// are not waited for, and the main actor may have no thread at all inside a host, so do not
    /// wait for it.
    ///
    /// When the task has to stop, the Swift task is cancelled: `Task.isCancelled` is true,
    /// `Task.checkCancellation()` and `Task.sleep` throw. Then the grace runs, and the function
    /// should return. With `maxConcurrency` above 1 it is entered for several tasks at a time.
    ///
    /// - Returns: bytes for whoever launched the task; empty for none. At most the host's limit,
    ///   1 MiB unless the embedder says otherwise: with more the task fails.
    /// - Throws: any error. The task failed, and its done event carries
    ///   `String(describing: error)`, so give errors a `description` that says what, where, and
    ///   what to do next. A `CancellationError` after the task was told to stop says just that.
    func run(_ task: HandlerTask) async throws -> [UInt8]

    /// Hears that a task has to stop, at most once for a task; the default does nothing.
    ///
    /// Only what cancellation does not reach needs it: a call into a C library that has an
    /// interruption of its own. It is called on a watcher thread of the host, concurrently with
    /// `run`, right after the Swift task was cancelled. It should be short. When `run` has returned
    /// meanwhile, `task` answers as for a task that is over.
    func expired(_ task: HandlerTask, reason: StopReason)
}

extension TaskHandler {
    public func expired(_ task: HandlerTask, reason: StopReason) {}
}
