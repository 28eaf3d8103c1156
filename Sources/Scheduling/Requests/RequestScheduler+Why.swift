// SPDX-License-Identifier: Apache-2.0

extension RequestScheduler {
    /// Returns the state of every factor for a request, with those first that it waits for.
    package func why(_ request: Request, at now: Moment) -> [FactorReport] {
        guard request.state.isLive else { return [] }
        let end = Self.endOfWait(request.queue, from: request.notBefore)
        let isOver = end.map { $0 <= now.wall } ?? false
        var reports = why(isOver ? request.queue.withoutWish : request.queue, at: now)
        if let end {
            for index in reports.indices
            where reports[index].holds && reports[index].factor.isWish(of: request.queue) {
                reports[index].until = min(reports[index].until ?? .max, end)
            }
        }
        reports.insert(date(of: request, at: now), at: 0)
        if request.state == .pending, let company = company(of: request) {
            reports.removeAll { $0.factor == .place }
            reports.append(company)
        }
        if request.state == .parked {
            reports.insert(
                FactorReport(
                    .parked, .no, holds: true, source: "",
                    detail:
                        "the process ended \(request.crashes) times while its task ran",
                    since: request.changedAt,
                    change: "release it once its handler is mended, or cancel it"), at: 0)
        }
        return Self.sorted(reports)
    }

    /// Returns the factors for a request that would be submitted. `setting` applies if there is
    /// none yet.
    package func why(
        _ queue: RequestQueue, setting: HandlerSetting? = nil, at now: Moment
    ) -> [FactorReport] {
        var handler = handlers[queue.identifier] ?? Handler(rate: rate)
        if let setting, handlers[queue.identifier] == nil { handler.setting = setting }
        var reports = [
            state(of: handler), enablement(of: handler), concurrency(of: handler),
            launchRate(of: handler, queue, at: now), place(for: queue), store,
            dayBudget(queue, at: now),
        ]
        if queue.kind == .appRefresh { reports.append(refresh(of: handler)) }
        if !usage.isEmpty || usageThreshold > 0 { reports.append(usageReport(queue, at: now)) }
        if let lapsedSince {
            reports.append(Self.lapsed(since: lapsedSince))
        } else if let leavingSince {
            reports.append(Self.leaving(since: leavingSince))
        } else if let drainedSince {
            reports.append(Self.drained(since: drainedSince))
        }
        reports += factors(of: queue).map(machine)
        return Self.sorted(reports)
    }

    /// Returns the earliest possible launch of a request, as far as it is known; nil if one of the
    /// factors that it waits for has no date.
    package static func earliest(_ reports: [FactorReport], at now: Int64) -> Int64? {
        var earliest = now
        for report in reports where report.holds {
            guard let until = report.until else { return nil }
            earliest = max(earliest, until)
        }
        return earliest
    }

    private static func sorted(_ reports: [FactorReport]) -> [FactorReport] {
        reports.sorted { $0.isBefore($1) }
    }

    private func date(of request: Request, at now: Moment) -> FactorReport {
        let isDue = request.notBefore <= now.wall
        return FactorReport(
            .date, isDue ? .yes : .no, holds: !isDue && request.state == .pending, source: "",
            detail: dateDetail(request, isDue: isDue), since: request.changedAt,
            until: isDue ? nil : request.notBefore,
            change: isDue ? "" : "its date comes")
    }

    private func dateDetail(_ request: Request, isDue: Bool) -> String {
        switch request.reason {
        case .submitted where request.marks.contains(.floored) && !isDue:
            floorDetail(of: request.description.identifier)
        case .submitted:
            !isDue
                ? "not before its date"
                : request.description.earliest == nil
                    ? "it may begin at once" : "its date has come"
        case .backOff:
            "back-off after attempt \(request.attempts), which ended as \(request.outcome?.name ?? "failed")"
        case .snoozed: "its task asked to be launched again later"
        case .repetition: "the next date of its repetition"
        case .interrupted: "its task was interrupted and is to be launched again"
        case .released: "it was parked, and released"
        case .byHand: "its launch was asked for by hand"
        }
    }

    private func floorDetail(of identifier: String) -> String {
        let floor = handlers[identifier]?.rate.floor ?? 0
        let most = floor > 0 ? " up to \(SpanText(nanoseconds: floor))" : ""
        return
            "it asks for no date, and others of its identifier without one were launched lately: the pause before the next grows with each\(most)"
    }

    private func state(of handler: Handler) -> FactorReport {
        let plugin = handler.state.plugin
        let until: Int64? =
            if case .resting(_, let date) = handler.state.closed { date } else { nil }
        let (detail, change): (String, String) =
            switch handler.state.closed {
            case nil:
                (
                    handler.state.plugin.isEmpty
                        ? "registered by the host's program"
                        : "registered by plugin \(handler.state.plugin)", ""
                )
            case .missing: ("no handler is registered for it", "load the plugin that has it")
            case .paused: ("the handler is paused", "resume it")
            case .quarantined(let reason):
                (
                    "the handler is quarantined: \(reason)",
                    "mend its plugin, and start the host again or have it release the handler"
                )
            case .quarantinedPlugin(let reason):
                (
                    "plugin \(plugin) is quarantined: \(reason)",
                    "install another build of it, or type `curfew release \(plugin)`"
                )
            case .resting(let reason, _):
                (
                    "the process of plugin \(plugin) \(reason)",
                    "its next process starts"
                )
            case .refused(let reason):
                (
                    "the host has refused plugin \(plugin): \(reason)",
                    "mend what that says, and have it loaded: type `curfew reload`, or start the host again"
                )
            }
        let holds = handler.state.closed != nil
        return FactorReport(
            .handler, holds ? .no : .yes, holds: holds, source: "host", detail: detail,
            until: until, change: change)
    }

    private func enablement(of handler: Handler) -> FactorReport {
        let isEnabled = handler.setting.enablement == .enabled
        return FactorReport(
            .enablement, isEnabled ? .yes : .no, holds: !isEnabled, source: "settings",
            detail: handler.setting.enablement.name,
            change: isEnabled ? "" : "enable it again: see `curfew settings`")
    }

    private func refresh(of handler: Handler) -> FactorReport {
        let refresh = handler.setting.refresh
        let change =
            switch refresh {
            case .available: ""
            case .denied: "turn its refresh setting on"
            case .restricted: "the administrator of the machine has to remove the restriction"
            }
        return FactorReport(
            .refreshSetting, refresh == .available ? .yes : .no, holds: refresh != .available,
            source: "settings", detail: refresh.name, change: change)
    }

    private func concurrency(of handler: Handler) -> FactorReport {
        let isFull = handler.running >= handler.state.places && handler.state.closed == nil
        return FactorReport(
            .concurrency, isFull ? .no : .yes, holds: isFull, source: "host",
            detail: "\(handler.running) of \(handler.state.places) at a time run",
            change: isFull ? "one of its tasks ends" : "")
    }

    private func launchRate(
        of handler: Handler, _ queue: RequestQueue, at now: Moment
    ) -> FactorReport {
        let until = handler.rate.restsUntil(now.span)
        let isResting = until != nil && queue.isPatient
        let left = Int64(clamping: (until ?? now.span) &- now.span)
        var allowed = "launched no more often than allowed"
        if let floor = handler.rate.holdsUndatedUntil(now.span) {
            allowed +=
                "; a request without a date waits for \(SpanText(nanoseconds: floor - now.span))"
        }
        return FactorReport(
            .launchRate, isResting ? .no : .yes, holds: isResting, source: "host",
            detail: isResting
                ? handler.rate.reason(at: now.span) ?? "" : allowed,
            until: isResting ? now.wall.addingReportingOverflow(left).partialValue : nil,
            change: isResting ? "the pause ends" : "")
    }

    /// Returns the tasks beside which it must not run; nil if it may run beside all.
    private func company(of request: Request) -> FactorReport? {
        func place(_ detail: String, _ change: String) -> FactorReport {
            FactorReport(.place, .no, holds: true, source: "host", detail: detail, change: change)
        }
        if let alone {
            return place(
                "request \(alone) runs alone: the process ended again and again while its task ran",
                "the task of request \(alone) ends")
        }
        if toBeAlone == request.queue, request.crashes > 0 {
            return place(
                "the process ended \(request.crashes) times while its task ran: it is launched once no other runs",
                "the tasks that run end")
        }
        if let toBeAlone, toBeAlone != request.queue {
            return place(
                "a request of \(toBeAlone.identifier) is to run alone: the process ended again and again while its task ran",
                "the tasks that run end, and then that one")
        }
        guard let suspect, request.crashes > 0 else { return nil }
        return place(
            "it ran when the process ended, as did request \(suspect), which runs: such are launched one at a time",
            "the task of request \(suspect) ends")
    }

    private func place(for queue: RequestQueue) -> FactorReport {
        let count = running.values.count { $0.kind.isShort == queue.kind.isShort }
        return FactorReport(
            .place, count >= places ? .no : .yes, holds: count >= places, source: "host",
            detail: "\(count) of \(places) tasks run", change: count >= places ? "a task ends" : "")
    }

    private var store: FactorReport {
        FactorReport(
            .store, storeFault == nil ? .yes : .no, holds: storeFault != nil, source: "store",
            detail: storeFault ?? "it works",
            change: storeFault == nil ? "" : "mend the store; nothing is lost")
    }

    private static func drained(since date: Int64) -> FactorReport {
        FactorReport(
            .host, .no, holds: true, source: "host",
            detail: "the host is drained: it launches nothing, and lets what runs end", since: date,
            change: "type `curfew drain --end`")
    }

    /// The source of a report that the machine is about to sleep.
    package static let sleepSource = "login1"

    private static func lapsed(since date: Int64) -> FactorReport {
        FactorReport(
            .host, .no, holds: true, source: "host",
            detail:
                "the server of the store was not reached for too long, so that other hosts may take this one for dead",
            since: date, change: "the server answers again")
    }

    private static func leaving(since date: Int64) -> FactorReport {
        FactorReport(
            .host, .no, holds: true, source: sleepSource,
            detail: "the machine goes to sleep or is shut down: nothing is launched", since: date,
            change: "it is awake again")
    }

    private func dayBudget(_ queue: RequestQueue, at now: Moment) -> FactorReport {
        let isSpent = budget.isSpent(at: now.wall) && queue.isPatient
        return FactorReport(
            .dayBudget, isSpent ? .no : .yes, holds: isSpent, source: "host",
            detail: budget.reason(at: now.wall) ?? "something is left of the day",
            until: isSpent ? budget.resetsAt(now.wall) : nil,
            change: isSpent ? "the next day begins" : "")
    }

    private func usageReport(_ queue: RequestQueue, at now: Moment) -> FactorReport {
        let score = usage.score(at: now.wall, in: zone)
        let holds = usageThreshold > 0 && score < usageThreshold && queue.isPatient
        return FactorReport(
            .usage, usage.isEmpty ? .unknown : score >= usageThreshold ? .yes : .no, holds: holds,
            source: "usage", detail: usage.explanation(at: now.wall, in: zone),
            change: holds ? "an hour comes at which it is used" : "")
    }

    private func machine(_ factor: Factor) -> FactorReport {
        let entry = board[factor]
        let state = entry?.reading.state ?? .unknown
        let holds = !policy.allows(factor, state)
        var detail = entry?.reading.detail ?? "no source can tell, so it is allowed"
        if entry == nil, holds { detail = "no source can tell, and it is set to hold then" }
        if let coming = board.announced(factor) {
            detail += "; changing: \(coming.detail)"
        }
        return FactorReport(
            factor, state, holds: holds, source: entry?.reading.source ?? "none",
            detail: detail, since: entry?.since,
            change: !holds
                ? ""
                : entry?.reading.source == FactorReading.byHand
                    ? "type `curfew factors \(factor.name)=auto`" : factor.remedy)
    }
}
