// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// The result of a job, for the thread that waits for it.
final class RequestAnswer<Value: Sendable>: @unchecked Sendable {
    // Sendable: written inside the batch, read after its end.

    var value: Value?
    var fault: StoreFault?

    /// Returns the result. Called after the batch.
    func get() throws(RequestFailure) -> Value {
        if let fault { throw .store(fault) }
        guard let value else { fatalError("a job of the requests was committed and not applied") }
        return value
    }
}
