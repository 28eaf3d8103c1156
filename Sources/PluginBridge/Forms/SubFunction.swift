// SPDX-License-Identifier: Apache-2.0
import CCurfew
package import Scheduling

/// A sub of a library that receives events: an exported function with exactly these parameters.
package struct SubFunction: Sendable {
    private let body: @Sendable ([EventValue]) -> Void

    /// - Parameter body: carries the call to where the plugin's code runs.
    package init(_ body: @escaping @Sendable ([EventValue]) -> Void) { self.body = body }

    init(_ symbol: UnsafeMutableRawPointer, _ parameters: [EventType]) {
        let function = unsafeBitCast(symbol, to: curfew_any_function.self)
        // Used by one thread at a time, since subs of a plugin run one after the other.
        let call = PreparedCall(parameters, takesData: false)
        body = { values in
            EventValue.withForeign(values) { start, _ in
                // Without parameters nothing of it is read.
                withUnsafeTemporaryAllocation(of: curfew_value.self, capacity: 1) { none in
                    call.call(function, nil, start ?? UnsafePointer(none.baseAddress!))
                }
            }
        }
    }

    /// Calls it. The values have the types it was made with.
    package func callAsFunction(_ values: [EventValue]) { body(values) }
}
