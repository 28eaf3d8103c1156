// SPDX-License-Identifier: Apache-2.0
public import Scheduling

extension HandlerDescription {
    /// Describes a handler.
    ///
    /// - Parameters:
    ///   - identifier: a reverse-DNS name, unique in a host.
    ///   - kind: the kind, which sets the default budget and selects the worker pool.
    ///   - budget: the time that a task may use, 1 ms…24 h; nil for the kind's default.
    ///   - grace: the time to complete after expiration, at most 10 min; nil for 5 s.
    ///   - maxConcurrency: the number of its tasks that may run at the same time, 1…64.
    ///   - event: the base name of its events; nil for the last component of the identifier.
    ///   - events: further events that its tasks may raise.
    ///   - needs: the conditions for launching its requests, which must hold while their tasks run.
    public init(
        _ identifier: String, kind: TaskKind = .appRefresh, budget: Duration? = nil,
        grace: Duration? = nil, maxConcurrency: UInt32 = 1, event: String? = nil,
        events: [EventSignature] = [], needs: RequestNeeds = []
    ) {
        self.init(
            identifier: identifier, kind: kind, budget: budget?.inNanoseconds,
            grace: grace?.inNanoseconds, maxConcurrency: maxConcurrency, event: event,
            events: events)
        self.needs = needs
    }
}
