// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// What a thread gets that has asked for something to be written into the store.
final class RequestAnswer<Value: Sendable>: @unchecked Sendable {
    // Sendable: written inside the turn, read after its end.

    var value: Value?
    var fault: StoreFault?

    /// After the turn.
    func get() throws(RequestFailure) -> Value {
        if let fault { throw .store(fault) }
        guard let value else { fatalError("a job of the requests was committed and not applied") }
        return value
    }
}
