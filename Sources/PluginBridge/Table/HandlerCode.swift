// SPDX-License-Identifier: Apache-2.0
package import CCurfew

/// The code of a handler, which a worker and a deadline thread call.
///
/// C function pointers and their context, so that a call costs what a call costs in C.
package struct HandlerCode: @unchecked Sendable {
    // Sendable: the pointers are immutable, and the code that registers them promises that any
    // thread may use them until the host is gone.
    package let run: curfew_run_function
    package let expired: curfew_expired_function?
    package let data: UnsafeMutableRawPointer?
    package let api: UnsafePointer<curfew_host_api>
    /// The number of pending tasks that keeps the handler's next one from being entered; 0: none
    /// does.
    package let pendingLimit: UInt32
    /// Called when the grace of a pending task is over, and the host has decided its outcome.
    /// Returns whether the code itself publishes the end, once what the task started has ended.
    package let graceOver: (@convention(c) (UnsafeMutableRawPointer?, curfew_task) -> Bool)?
    /// The queue of a plugin's subs, on which pending tasks of its other handlers depend.
    package let isQueue: Bool
    /// Where the tasks go if they run in a process of the plugin's; nil for this process. The handler's
    /// owner keeps it alive.
    package let port: UnsafeRawPointer?

    package init(
        run: @escaping curfew_run_function, expired: curfew_expired_function?,
        data: UnsafeMutableRawPointer?, api: UnsafePointer<curfew_host_api>,
        pendingLimit: UInt32 = 0, isQueue: Bool = false,
        graceOver: (@convention(c) (UnsafeMutableRawPointer?, curfew_task) -> Bool)? = nil,
        port: UnsafeRawPointer? = nil
    ) {
        self.port = port
        self.isQueue = isQueue
        self.pendingLimit = pendingLimit
        self.graceOver = graceOver
        self.run = run
        self.expired = expired
        self.data = data
        self.api = api
    }
}
