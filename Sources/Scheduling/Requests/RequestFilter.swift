// SPDX-License-Identifier: Apache-2.0

/// A filter for lists of requests.
package struct RequestFilter: Hashable, Sendable {
    /// The states; empty for all.
    package var states: Set<RequestState>
    /// The identifier; nil for all.
    package var identifier: String?
    /// The number at which the previous list ended; only larger ones match.
    package var after: RequestID?
    /// A part of the identifier or of the key; nil for all. Lists by number ignore it.
    package var text: String?
    /// How many matching requests are left out before the first one. Lists by number ignore it.
    package var skipped = 0
    /// The maximum number of requests.
    package var limit: Int

    package init(
        states: Set<RequestState> = [], identifier: String? = nil, after: RequestID? = nil,
        limit: Int = 100
    ) {
        self.states = states
        self.identifier = identifier
        self.after = after
        self.limit = limit
    }

    /// Whether a request is among those that are meant, apart from the order: of finished ones, with one of the outcomes;
    /// with none given, all.
    package func isMet(by request: Request, outcomes: Set<Outcome>) -> Bool {
        (states.isEmpty || states.contains(request.state))
            && (identifier?.utf8.elementsEqual(request.description.identifier.utf8) ?? true)
            && isTextMet(by: request)
            && (request.state != .finished || outcomes.isEmpty
                || request.outcome.map(outcomes.contains) ?? false)
    }

    /// Whether a request has the text.
    func isTextMet(by request: Request) -> Bool {
        guard let text else { return true }
        return request.description.identifier.utf8.contains(text.utf8)
            || request.description.key?.utf8.contains(text.utf8) ?? false
    }

    /// How many of the matching requests are looked at: those that are skipped, and those that are returned.
    package var window: Int {
        let (sum, overflow) = max(0, limit).addingReportingOverflow(max(0, skipped))
        return overflow ? .max : sum
    }

    /// Returns those of matching requests that are returned.
    package func shown<Item>(of matching: [Item]) -> [Item] {
        Array(matching.dropFirst(max(0, skipped)).prefix(max(0, limit)))
    }
}
