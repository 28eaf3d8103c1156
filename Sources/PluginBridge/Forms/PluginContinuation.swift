// SPDX-License-Identifier: Apache-2.0
import CCurfew
package import Scheduling

/// A function of a plugin to call when a wait or a sleep is over.
package struct PluginContinuation: @unchecked Sendable {
    // Sendable: the function may be called from any thread, as its author promised.
    private let function: curfew_subs_continuation
    private let data: UnsafeMutableRawPointer?
    private let api: UnsafePointer<curfew_host_api>

    init(
        _ function: @escaping curfew_subs_continuation, _ data: UnsafeMutableRawPointer?,
        _ api: UnsafePointer<curfew_host_api>
    ) {
        self.function = function
        self.data = data
        self.api = api
    }

    package func callAsFunction(_ status: Status, _ values: [EventValue]) {
        EventValue.withForeign(values) { function(data, api, status.rawValue, $0, $1) }
    }
}
