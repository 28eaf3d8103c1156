// SPDX-License-Identifier: Apache-2.0
package import CCurfew
package import Scheduling

extension RequestDescription {
    /// Reads `curfew_submit_options` of any version; zero means the default.
    ///
    /// - Parameters:
    ///   - handlerKind: the kind of the registered handler.
    ///   - now: the date of the host's clock, from which `after_ns` counts.
    package init(
        _ identifier: String, _ options: curfew_submit_options, handlerKind: TaskKind?,
        at now: Int64
    ) throws(BridgeError) {
        let kind = options.kind == 0 ? handlerKind ?? .appRefresh : TaskKind(rawValue: options.kind)
        guard let kind else {
            throw Self.invalid("\(options.kind) is not a CURFEW_KIND_ constant")
        }
        guard let priority = Int8(exactly: options.priority).flatMap(RequestPriority.init) else {
            throw Self.invalid("the priority \(options.priority) is not -1, 0 or 1")
        }
        let pending = options.on_pending == 0 ? CURFEW_ON_PENDING_ADD : Int(options.on_pending)
        guard let onPending = UInt8(exactly: pending).flatMap(OnPending.init) else {
            throw Self.invalid("\(pending) is not a CURFEW_ON_PENDING_ constant")
        }
        guard let wish = UInt8(exactly: options.opportunistic).flatMap(RequestWish.init) else {
            throw Self.invalid(
                "\(options.opportunistic) is not a CURFEW_OPPORTUNISTIC_ constant")
        }
        var key: String?
        if let start = options.key {
            key = ForeignText.read(start, limit: Self.keyLimit)
            if key == nil {
                throw Self.invalid("the key has more than \(Self.keyLimit) bytes, or is not UTF-8")
            }
        }
        let isRepeated = options.interval_ns != 0 || options.cron != nil
        for (name, isSet, needed, isNeededSet) in [
            ("jitter_ns", options.jitter_ns != 0, "interval_ns or cron", isRepeated),
            ("catch_up", options.catch_up != 0, "interval_ns or cron", isRepeated),
            ("cron_is_local", options.cron_is_local, "cron", options.cron != nil),
            ("backoff_ns", options.backoff_ns != 0, "attempts", options.attempts != 0),
            ("max_backoff_ns", options.max_backoff_ns != 0, "attempts", options.attempts != 0),
        ] where isSet && !isNeededSet {
            throw Self.invalid("\(name) is set without \(needed)")
        }
        self.init(
            identifier, kind: kind,
            earliest: try Self.earliest(options, at: now),
            latest: options.latest_ns == 0 ? nil : options.latest_ns,
            needs: RequestNeeds(rawValue: UInt8(truncatingIfNeeded: options.needs)),
            priority: priority, opportunistic: wish,
            atMost: options.at_most_ns == 0 ? nil : options.at_most_ns, onPending: onPending,
            key: key, retry: RetryPolicy(options),
            repetition: try Repetition(options))
        if let start = options.trace {
            guard let text = ForeignText.read(start, limit: Self.traceLimit),
                let trace = TraceContext(text)
            else {
                throw Self.invalid(
                    "the trace is no value of traceparent, such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
                )
            }
            self.trace = trace
        }
        if options.needs > UInt32(RequestNeeds.all.rawValue) {
            throw Self.invalid("needs has bits without a meaning")
        }
    }

    private static func earliest(
        _ options: curfew_submit_options, at now: Int64
    ) throws(BridgeError) -> Int64? {
        guard options.after_ns != 0 else {
            return options.earliest_ns == 0 ? nil : options.earliest_ns
        }
        guard options.earliest_ns == 0 else {
            throw invalid("earliest_ns and after_ns cannot be had together")
        }
        let (date, isTooLate) = now.addingReportingOverflow(Int64(clamping: options.after_ns))
        return isTooLate ? .max : date
    }

    private static func invalid(_ what: String) -> BridgeError {
        BridgeError(.invalid, "\(what); the request was not accepted")
    }
}

extension RequestDescription {
    /// The most bytes of a trace as text: a later version of it may have more than today's.
    private static var traceLimit: Int { 256 }
}

extension RetryPolicy {
    fileprivate init(_ options: curfew_submit_options) {
        self = .none
        guard options.attempts > 1 else { return }
        self = RetryPolicy(attempts: options.attempts)
        if options.backoff_ns != 0 { base = options.backoff_ns }
        longest =
            options.max_backoff_ns == 0 ? max(longest, base) : options.max_backoff_ns
    }
}

extension Repetition {
    fileprivate init?(_ options: curfew_submit_options) throws(BridgeError) {
        let rule: Rule
        if let cron = options.cron {
            guard options.interval_ns == 0 else {
                throw BridgeError(
                    .invalid,
                    "interval_ns and cron cannot be had together; the request was not accepted")
            }
            // One byte above the limit, so that the reader reports the fault.
            let text = ForeignText.shown(cron, limit: CronSchedule.textLimit + 1) ?? ""
            do throws(CronFault) {
                rule = .cron(try CronSchedule(text), isLocal: options.cron_is_local)
            } catch {
                throw BridgeError(
                    .invalid,
                    "the cron expression\(error.field.map { "'s \($0.rawValue)" } ?? "") \(error.message): \(error.help); the request was not accepted"
                )
            }
        } else if options.interval_ns != 0 {
            rule = .every(options.interval_ns)
        } else {
            return nil
        }
        let number = options.catch_up == 0 ? 2 : options.catch_up
        guard let catchUp = UInt8(exactly: number).flatMap(CatchUp.init) else {
            throw BridgeError(
                .invalid,
                "\(number) is not a CURFEW_CATCH_UP_ constant; the request was not accepted")
        }
        self.init(rule, catchUp: catchUp, jitter: options.jitter_ns)
    }
}
