// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A request that waits for its answer. Any thread may give it, once; later answers are ignored. A call
/// that is dropped is answered as an error of the server's.
package final class HTTPCall: Sendable {
    package let request: HTTPRequest
    private let exchange: HTTPExchange
    private let inbox: HTTPInbox

    init(_ request: HTTPRequest, _ exchange: HTTPExchange, _ inbox: HTTPInbox) {
        self.request = request
        self.exchange = exchange
        self.inbox = inbox
    }

    deinit {
        if isOver { return }
        answer(
            HTTPAnswer(HTTPFault(500, "internal", "the request was dropped; please report that")))
    }

    package func answer(_ answer: HTTPAnswer) { Self.answer([(self, answer)]) }

    /// Whether it is answered, or its client has left.
    package var isOver: Bool { exchange.isAnswered.load(ordering: .relaxed) }

    package func answer(_ fault: HTTPFault) { answer(HTTPAnswer(fault)) }

    /// Answers calls of one server together, which wakes its thread once.
    package static func answer(_ answers: [(call: HTTPCall, answer: HTTPAnswer)]) {
        guard let inbox = answers.first?.call.inbox else { return }
        var sent: [(HTTPExchange, HTTPAnswer)] = []
        sent.reserveCapacity(answers.count)
        for (call, answer) in answers
        where !call.exchange.isAnswered.exchange(true, ordering: .relaxed) {
            sent.append((call.exchange, answer))
        }
        if !sent.isEmpty { inbox.put(sent) }
    }
}
