// SPDX-License-Identifier: Apache-2.0
package import CCurfew
package import Scheduling

/// The functions of a host behind a plugin's table: the port through which the table reaches the
/// runner.
///
/// `plugin` is the number of the plugin that calls; a task of another plugin is stale to it. Any
/// thread may call; nothing blocks and nothing calls back into plugin code. Buffers are plugin
/// memory, read during the call only.
package protocol TaskServices: AnyObject, Sendable {
    /// Registers a handler while its plugin is being loaded.
    func register(_ identifier: String, _ code: HandlerCode, plugin: Int32) -> BridgeError?
    func facts(of task: UInt64, plugin: Int32) -> TaskFacts?
    func shouldStop(_ task: UInt64, plugin: Int32) -> Bool
    func remaining(of task: UInt64, plugin: Int32) -> UInt64
    func report(_ fraction: Double, _ text: String, for task: UInt64, plugin: Int32) -> Status
    func complete(
        _ task: UInt64, _ status: Status, error: UnsafeRawBufferPointer?,
        result: UnsafeRawBufferPointer, plugin: Int32
    ) -> Status
    func keep(_ task: UInt64, plugin: Int32) -> Status
    func release(_ task: UInt64, plugin: Int32) -> Status
    func raise(_ event: EventSelector, _ values: [EventValue], for task: UInt64, plugin: Int32)
        -> Status
    /// Whether it has handlers made of subs; what follows is for those only.
    func hasSubs(plugin: Int32) -> Bool
    func callSub(_ selector: EventSelector, _ values: [EventValue], plugin: Int32) -> Status
    /// `sender` 0: any; `limit` in nanoseconds.
    func waitFor(
        _ selector: EventSelector, sender: UInt64, limit: UInt64?,
        _ continuation: PluginContinuation, plugin: Int32
    ) -> Status
    func sleep(_ duration: UInt64, _ continuation: PluginContinuation, plugin: Int32) -> Status
    /// The date of the host's clock, in nanoseconds since 1970.
    var date: Int64 { get }
    /// A plugin's own requests.
    func submit(
        _ identifier: String, _ options: curfew_submit_options, plugin: Int32
    ) -> Result<UInt64, BridgeError>
    func cancelRequests(of identifier: String, plugin: Int32) -> Status
    func pendingRequests(
        after: UInt64, limit: Int, plugin: Int32
    ) -> Result<[curfew_request_state], BridgeError>
    func payload(of request: UInt64, plugin: Int32) -> Result<[UInt8], BridgeError>
    func snooze(_ task: UInt64, _ after: UInt64, plugin: Int32) -> Status
    /// 0: it is not a launch of a request.
    func request(of task: UInt64, plugin: Int32) -> UInt64
    /// The user who has submitted its request; nil: the host's own, or it has none.
    func owner(of task: UInt64, plugin: Int32) -> UInt32?
    /// The place of the launch in a trace; nil: it is not a launch of a request.
    func trace(of task: UInt64, plugin: Int32) -> TraceContext?
    func log(_ level: LogLevel, _ text: String, for task: UInt64, plugin: Int32)
    /// A plugin broke a rule of the contract: what it did, to be put after its name, and what came
    /// of that. Not called under a lock.
    func violated(
        _ rule: ContractRule, _ did: @autoclosure () -> String, _ answer: @autoclosure () -> String,
        task: UInt64, plugin: Int32)
    /// Returns the role of the calling thread for this host, a `CURFEW_THREAD_` constant.
    func currentThread() -> Int32
}
