// SPDX-License-Identifier: Apache-2.0
import CCurfew
package import Scheduling

/// A function of a plugin to call when a wait or a sleep is over.
package struct PluginContinuation: Sendable {
    private let body: @Sendable (Status, [EventValue]) -> Void

    /// - Parameter body: carries the call to where the plugin's code runs.
    package init(_ body: @escaping @Sendable (Status, [EventValue]) -> Void) { self.body = body }

    init(
        _ function: @escaping curfew_subs_continuation, _ data: UnsafeMutableRawPointer?,
        _ api: UnsafePointer<curfew_host_api>
    ) {
        // Any thread may call the function, as its author promised.
        nonisolated(unsafe) let (data, api) = (data, api)
        body = { status, values in
            EventValue.withForeign(values) { function(data, api, status.rawValue, $0, $1) }
        }
    }

    package func callAsFunction(_ status: Status, _ values: [EventValue]) { body(status, values) }
}
