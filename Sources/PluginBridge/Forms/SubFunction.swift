// SPDX-License-Identifier: Apache-2.0
import CCurfew
package import Scheduling

/// A sub of a library that receives events: an exported function with exactly these parameters.
package struct SubFunction: @unchecked Sendable {
    // Sendable: the function may be called from any thread, as its author promised; the prepared
    // call is used by one thread at a time, since subs of a plugin run one after the other.
    private let function: curfew_any_function
    private let call: PreparedCall

    init(_ symbol: UnsafeMutableRawPointer, _ parameters: [EventType]) {
        function = unsafeBitCast(symbol, to: curfew_any_function.self)
        call = PreparedCall(parameters, takesData: false)
    }

    /// Calls it. The values have the types it was made with.
    package func callAsFunction(_ values: [EventValue]) {
        EventValue.withForeign(values) { start, _ in
            // Without parameters nothing of it is read.
            withUnsafeTemporaryAllocation(of: curfew_value.self, capacity: 1) { none in
                call.call(function, nil, start ?? UnsafePointer(none.baseAddress!))
            }
        }
    }
}
