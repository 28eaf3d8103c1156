// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A request that waits for its answer. Any thread may give it, once; later answers are ignored. A call
/// that is dropped is answered as an error of the server's.
package final class HTTPCall: Sendable {
    package let request: HTTPRequest
    private let send: @Sendable (HTTPAnswer) -> Void
    private let isAnswered = Atomic<Bool>(false)

    init(_ request: HTTPRequest, _ send: @escaping @Sendable (HTTPAnswer) -> Void) {
        self.request = request
        self.send = send
    }

    deinit {
        answer(
            HTTPAnswer(HTTPFault(500, "internal", "the request was dropped; please report that")))
    }

    package func answer(_ answer: HTTPAnswer) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        send(answer)
    }

    package func answer(_ fault: HTTPFault) { answer(HTTPAnswer(fault)) }
}
