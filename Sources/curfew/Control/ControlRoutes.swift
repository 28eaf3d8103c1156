// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Curfew
import Glibc
import PluginBridge
import Runner
import Scheduling
import Service

/// Answers the calls of the control socket.
///
/// Answers about requests are the JSON of the command line: see `curfew help show`, and so on.
struct ControlRoutes: Sendable {
    private let host: Host
    private let thread: ControlThread
    private let reloads: ReloadQueue
    private let place: StorePlace
    private let access: ControlAccess
    /// Whether a collector gets the launches of the host.
    private let sendsTraces: Bool
    /// Why there is no socket where the configuration wants it; nil if there is.
    private let lack: String?
    private let openWeb: @Sendable (HTTPPeer) throws(HTTPServer.Failure) -> String
    /// The store as a screen names it: the commands that it proposes ask at the socket.
    private let shown: StorePlace

    private static let usualWait: UInt64 = 30_000_000_000
    static let longestWait: UInt64 = 3_600_000_000_000

    init(
        _ host: Host, _ thread: ControlThread, _ reloads: ReloadQueue, _ place: StorePlace,
        _ access: ControlAccess, socket: String, sendsTraces: Bool, lack: String?,
        openWeb: @escaping @Sendable (HTTPPeer) throws(HTTPServer.Failure) -> String
    ) {
        self.openWeb = openWeb
        shown = StorePlace(place.directory, option: " --socket " + ShellWord.path(socket))
        self.access = access
        self.sendsTraces = sendsTraces
        self.lack = lack
        self.place = place
        self.host = host
        self.thread = thread
        self.reloads = reloads
    }

    /// A call that submits.
    private struct Submit {
        let call: HTTPCall
        let requester: Requester?
        let items: [Result<RequestDraft, HTTPFault>]
        let isBatch: Bool
    }

    /// Answers calls that were read at the same time.
    func handle(_ calls: [HTTPCall]) {
        var submits: [Submit] = []
        for call in calls {
            do throws(HTTPFault) {
                // A host that ends is not asked any more.
                if thread.isStopping { throw ControlThread.stopping }
                if let submit = try start(call, access.caller(call.request.peer)) {
                    submits.append(submit)
                }
            } catch {
                call.answer(error)
            }
        }
        if !submits.isEmpty { perform(submits) }
    }

    /// Refuses what a user may not do, and notes it in the journal if it would have changed something.
    private func check(
        _ caller: ControlCaller, _ route: ControlRoute, _ id: RequestID?
    ) throws(HTTPFault) {
        guard let fault = caller.fault(route.need) else { return }
        if route.method != "GET" { note(route.action.text, caller, id) }
        throw fault
    }

    /// Notes what a user was refused. Any thread may call.
    private func note(_ refused: String, _ caller: ControlCaller, _ id: RequestID?) {
        guard access.notes(refusalOf: caller), let requester = caller.requester else { return }
        audit("refused: \(refused), asked \(requester.text)", id)
    }

    private func audit(_ detail: String, _ id: RequestID? = nil) {
        thread.run { [host] in try? host.audit(detail, id) }
    }

    /// Answers a call, or has it answered; returns one that submits.
    private func start(
        _ call: HTTPCall, _ caller: ControlCaller
    ) throws(HTTPFault) -> Submit? {
        // Who has no role does not learn what there is.
        if let fault = caller.fault(.any) {
            note("a call", caller, nil)
            throw fault
        }
        let (route, id) = try ControlRoute.find(call.request)
        try check(caller, route, id)
        let query = try ControlQuery(call.request.target, route.query)
        switch route.action {
        case .submit: return try submit(call, caller, isBatch: false)
        case .submitBatch: return try submit(call, caller, isBatch: true)
        case .changeMany(let action):
            try changeMany(call, action, caller)
            return nil
        case .setSetting:
            try set(try SettingBody(call.request.body), call, caller)
            return nil
        case .setFactor:
            let factor = try Self.factor(call.request.target.path[2])
            try set(factor, try FactorBody(call.request.body), call, caller)
            return nil
        default: break
        }
        guard call.request.body.isEmpty else {
            throw HTTPFault(400, "body", "this call has no body")
        }
        switch route.action {
        case .page:
            guard let page = WebPage.answer(Self.name(ofPage: call.request.target)) else {
                throw HTTPFault(404, "notFound", "the page has no such file")
            }
            call.answer(page)
        case .web:
            let link: String
            do throws(HTTPServer.Failure) {
                link = try openWeb(call.request.peer)
            } catch {
                throw HTTPFault(
                    409, "state", "the page cannot be served over TCP: \(error.reason)",
                    help: ["name another address: `listen` of `web` in the configuration"])
            }
            let item = JSONItem.object([
                ("url", .text(link)), ("seconds", .seconds(WebSessions.linkSpan)),
            ])
            call.answer(HTTPAnswer(json: item.written))
        case .me: call.answer(HTTPAnswer(json: caller.item(call.request.peer).written))
        case .statistics:
            let (asked, host) = (try StatisticsQuery(query, at: csys_realtime_ns()), self.host)
            look(call) { (store) throws(CommandError) in
                // What is not stored yet is shown as well; a store that cannot be written to is read all the same.
                try? host.storeCounts()
                return try asked.item(store)
            }
        case .host: look(call) { (store) throws(CommandError) in try hostItem(store, caller) }
        case .health: health(call)
        case .tasks:
            tell(call, "tasks") { (host) throws(CurfewError) in try HostRecords.tasks(host) }
        case .handlers:
            tell(call, "handlers") { (host) throws(CurfewError) in
                .list(host.handlers.map(HostRecords.item))
            }
        case .usage:
            look(call) { (store) throws(CommandError) in
                try UsageWeek(store, at: csys_realtime_ns()).item
            }
        case .counts:
            look(call) { (store) throws(CommandError) in
                .object([("counts", try Self.counts(store))])
            }
        case .misses:
            let asked = try MissesQuery(query, at: csys_realtime_ns())
            look(call) { (store) throws(CommandError) in try asked.item(store) }
        case .ends:
            let (asked, host) = (try EndsQuery(query), self.host)
            look(call) { (store) throws(CommandError) in
                let budgets = Dictionary(
                    host.handlers.map { ($0.identifier, $0.description.budget) },
                    uniquingKeysWith: { $1 })
                return try asked.item(store) { budgets[$0] }
            }
        case .factorHistory:
            let (asked, host) = (try FactorHistory(query, at: csys_realtime_ns()), self.host)
            look(call) { (store) throws(CommandError) in
                let current = try Self.asked(host) { (host) throws(CurfewError) in
                    try host.factors()
                }
                return try asked.item(store, current)
            }
        case .metrics:
            let (host, sendsTraces) = (self.host, self.sendsTraces)
            let isOpen = MetricsText.isOpen(call.request.head.accept)
            thread.answer(call) { (store) throws(CommandError) in
                try? host.storeCounts()
                let text = try HostMetrics.text(
                    host, store, isOpen: isOpen, sendsTraces: sendsTraces)
                return HTTPAnswer(
                    200, Array(text.utf8),
                    MetricsText.type(isOpen: isOpen))
            }
        case .plugins:
            let host = self.host
            look(call) { (store) throws(CommandError) in
                let list = try StorePlace.translated { () throws(StoreFault) in
                    try store.quarantine().plugins
                }
                return .object([
                    ("plugins", .list(host.plugins.map { HostRecords.item($0, list) }))
                ])
            }
        case .factors:
            tell(call, "factors") { (host) throws(CurfewError) in
                let factors = try host.factors()
                return .list(factors.map { HostRecords.item($0.factor, $0.entry) })
            }
        case .resetFactor:
            let factor = try Self.factor(call.request.target.path[2])
            if let requester = caller.requester {
                audit("\(factor.name) is as its sources say, asked \(requester.text)")
            }
            tell(call) { (host) throws(CurfewError) in
                try host.setFactor(factor, nil, for: nil)
                return try Self.item(factor, host)
            }
        case .settings:
            look(call) { (store) throws(CommandError) in
                try SettingsCommand.item(SettingsCommand.settings(store))
            }
        case .reload:
            if let requester = caller.requester { audit("reload \(requester.text)") }
            try reloads.add(call)
        case .drain:
            if let requester = caller.requester { audit("drain \(requester.text)") }
            try drain(call, query)
        case .endDrain:
            if let requester = caller.requester { audit("end of drain \(requester.text)") }
            tell(call) { (host) throws(CurfewError) in
                try host.setDrained(false)
                return try Self.drainItem(host)
            }
        case .requests: try list(call, query, caller)
        case .journal: try journal(call, query)
        case .hosts: look(call) { (store) throws(CommandError) in try HostsCommand.item(store) }
        case .schedules:
            look(call) { (store) throws(CommandError) in try SchedulesCommand.item(store) }
        case .show:
            let screen = try ControlScreen(query)
            look(call) { [shown] (store) throws(CommandError) in
                try Self.see(id!, store, caller)
                let record = try Self.record(id!, store)
                return try screen?.item { (console) throws(CommandError) in
                    RequestScreen(record, shown, isAlone: false, console.out).print()
                } ?? record.item(isAlone: false)
            }
        case .why:
            let screen = try ControlScreen(query)
            look(call) { [shown] (store) throws(CommandError) in
                try Self.see(id!, store, caller)
                let now = Moment(wall: csys_realtime_ns(), span: csys_boottime_ns())
                var answer = try WhyCommand.about(
                    try Self.record(id!, store), store, at: now, handler: { _ in nil })
                if caller.scope != nil { answer.hideOthers() }
                return try screen?.item { (console) throws(CommandError) in
                    WhyCommand.print(answer, shown, console.out)
                } ?? answer.item
            }
        case .history:
            let screen = try ControlScreen(query)
            look(call) { (store) throws(CommandError) in
                try Self.see(id!, store, caller)
                guard let history = try RequestHistory(id!, store, at: csys_realtime_ns()) else {
                    throw Self.missing(id!)
                }
                return try screen?.item { (console) throws(CommandError) in
                    history.print(console.out)
                } ?? history.item
            }
        case .payload: payload(call, id!, caller)
        case .wait:
            let timeout = try query.span("timeout", 1...Self.longestWait) ?? Self.usualWait
            thread.wait(call, until: csys_monotonic_ns() &+ timeout) {
                (store, isLate) throws(CommandError) in
                // It may have changed since the call.
                let now = access.caller(call.request.peer)
                let request = try Self.see(id!, store, now)
                guard isLate || !request.state.isLive else { return nil }
                return HTTPAnswer(
                    request.state.isLive ? 202 : 200, json: RequestItem.item(request).written)
            }
        case .cancel:
            try change(call, id!, caller) { (host) throws(CurfewError) in
                try host.cancel(id!, by: caller.requester)
            }
        case .retry:
            try change(call, id!, caller, launches: true) { (host) throws(CurfewError) in
                try host.retry(id!, by: caller.requester)
            }
        case .launch:
            try change(call, id!, caller, launches: true) { (host) throws(CurfewError) in
                try host.launchNow(id!, by: caller.requester)
            }
        case .release:
            try change(call, id!, caller, launches: true) { (host) throws(CurfewError) in
                try host.release(id!, by: caller.requester)
            }
        case .pause, .resume:
            let identifier = call.request.target.path[2]
            let pauses = route.action == .pause
            if let requester = caller.requester {
                audit("\(pauses ? "pause" : "resume") of \(identifier) \(requester.text)")
            }
            tell(call) { (host) throws(CurfewError) in
                try pauses ? host.pause(identifier) : host.resume(identifier)
                guard let handler = host.handlers.first(where: { $0.identifier == identifier })
                else { throw CurfewError(.notFound, "there is no handler \(identifier)") }
                return HostRecords.item(handler)
            }
        case .releasePlugin:
            let name = call.request.target.path[2]
            if let requester = caller.requester { audit("release of \(name) \(requester.text)") }
            look(call) { (store) throws(CommandError) in try Self.release(name, store) }
        case .restartSchedule:
            let name = call.request.target.path[2]
            if let requester = caller.requester {
                audit("restart of schedule \(Shown.line(name)) \(requester.text)")
            }
            look(call) { [place] (store) throws(CommandError) in
                try SchedulesCommand.restarted(name, store, place)
            }
        case .launchSchedule:
            let name = call.request.target.path[2]
            try change(
                call, caller, launches: true,
                of: { [place] (store) throws(CommandError) in
                    try SchedulesCommand.pendingRequest(of: name, store, place)
                }
            ) { (host, id) throws(CurfewError) in
                try host.launchNow(id, by: caller.requester)
            }
        case .submit, .submitBatch, .changeMany, .setSetting, .setFactor: break
        }
        return nil
    }

    /// The last part of the path; that of the root has none.
    private static func name(ofPage target: HTTPTarget) -> String {
        target.path.count > 1 ? target.path[target.path.count - 1] : "index.html"
    }

    // MARK: The host

    /// Answers with what the host has in memory.
    private func tell(
        _ call: HTTPCall, _ name: String? = nil,
        _ item: @escaping (Host) throws(CurfewError) -> JSONItem
    ) {
        let host = self.host
        thread.tell(call) { () throws(CommandError) in
            let item = try Self.asked(host, item)
            return HTTPAnswer(json: (name.map { .object([($0, item)]) } ?? item).written)
        }
    }

    static func asked<Answer>(
        _ host: Host, _ body: (Host) throws(CurfewError) -> Answer
    ) throws(CommandError) -> Answer {
        do throws(CurfewError) {
            return try body(host)
        } catch {
            throw CommandError(code(error.code), error.message)
        }
    }

    private func health(_ call: HTTPCall) {
        let (host, reloads, place) = (self.host, self.reloads, self.place)
        thread.tell(call) { () throws(CommandError) in
            let health = HostHealth(host, place, reloads.fault, lack: lack)
            return HTTPAnswer(
                health.status == .degraded ? 503 : 200, json: health.item.written)
        }
    }

    /// Launches nothing more, and answers once no task of a request runs.
    private func drain(_ call: HTTPCall, _ query: ControlQuery) throws(HTTPFault) {
        let host = self.host
        let timeout = try query.span("timeout", 0...Self.longestWait) ?? 0
        var hasBegun = false
        thread.wait(call, until: csys_monotonic_ns() &+ timeout) {
            (_, isLate) throws(CommandError) in
            try Self.asked(host) { (host) throws(CurfewError) -> HTTPAnswer? in
                // Only at the first look: another client may have ended the drain since.
                if !hasBegun { try host.setDrained(true) }
                hasBegun = true
                let isEnded = host.drainedSince == nil
                let isOver = isEnded ? true : try host.requestTasks().isEmpty
                guard isLate || isOver else { return nil }
                return HTTPAnswer(isOver ? 200 : 202, json: try Self.drainItem(host).written)
            }
        }
    }

    private static func drainItem(_ host: Host) throws(CurfewError) -> JSONItem {
        .object([
            ("since", DateText.item(host.drainedSince)),
            ("tasks", try HostRecords.tasks(host)),
        ])
    }

    // MARK: Settings and factors

    /// Sets what a body says for what the path names: a handler, a plugin, or all.
    private func set(
        _ setting: SettingBody, _ call: HTTPCall, _ caller: ControlCaller
    ) throws(HTTPFault) {
        let path = call.request.target.path
        let scope: HandlerScope =
            path.count < 4 ? .all : path[1] == "plugins" ? .plugin(path[2]) : .identifier(path[2])
        if let fault = scope.fault { throw HTTPFault(422, "refused", fault.message) }
        try access.submits(1, caller)
        if let requester = caller.requester {
            audit("setting of \(SettingsCommand.text(scope)): \(setting.text) \(requester.text)")
        }
        look(call) { (store) throws(CommandError) in
            let settings = try SettingsCommand.change(scope, store) { $0 = setting.setting }
            return SettingsCommand.item(settings)
        }
    }

    /// Overrides a factor as a body says.
    private func set(
        _ factor: Factor, _ body: FactorBody, _ call: HTTPCall, _ caller: ControlCaller
    ) throws(HTTPFault) {
        if let requester = caller.requester {
            audit("\(factor.name) is \(body.state.name) by hand, asked \(requester.text)")
        }
        tell(call) { (host) throws(CurfewError) in
            try host.setFactor(factor, body.reading(at: csys_realtime_ns()), for: body.span)
            return try Self.item(factor, host)
        }
    }

    private static func factor(_ name: String) throws(HTTPFault) -> Factor {
        let names = Factor.allCases.filter(\.isSettable).map(\.name)
        guard let factor = Factor(name: name), factor.isSettable else {
            throw HTTPFault(
                404, "notFound", "the machine has no factor `\(Shown.line(name))`",
                help: ["it has \(names.joined(separator: ", "))"])
        }
        return factor
    }

    /// The factor as it is now, and as the list of them has it.
    private static func item(_ factor: Factor, _ host: Host) throws(CurfewError) -> JSONItem {
        guard let entry = try host.factors().first(where: { $0.factor == factor }) else {
            return HostRecords.unread(factor)
        }
        return HostRecords.item(factor, entry.entry)
    }

    // MARK: Looking

    private func hostItem(
        _ store: StoreClient, _ caller: ControlCaller
    ) throws(CommandError) -> JSONItem {
        let identifiers = host.handlers.map(\.identifier).filter {
            caller.rights.reads || caller.rights.submits($0)
        }
        let presence = try StorePlace.translated { () throws(StoreFault) in try store.host() }
        return .object([
            ("version", .text(CURFEW_VERSION_STRING)), ("store", .text(store.directory)),
            ("process", .integer(Int64(getpid()))), ("since", DateText.item(presence?.since)),
            ("handlers", .list(identifiers.map { .text($0) })),
            ("newest", caller.rights.reads ? .integer(Int64(try Self.newest(store))) : .null),
            ("statistics", caller.rights.reads ? HostRecords.statistics(host) : .null),
        ])
    }

    /// How many requests that are not over each identifier has in each state.
    private static func counts(_ store: StoreClient) throws(CommandError) -> JSONItem {
        let counts = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in try transaction.liveCounts() }
        }
        return .list(
            counts.sorted {
                ($0.identifier, $0.state.rawValue) < ($1.identifier, $1.state.rawValue)
            }
            .map {
                .object([
                    ("identifier", .text($0.identifier)), ("state", .text($0.state.name)),
                    ("count", .integer(Int64($0.count))),
                ])
            })
    }

    /// The number of the last entry of the journal.
    private static func newest(_ store: StoreClient) throws(CommandError) -> UInt64 {
        try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in try transaction.lastSequence() }
        }
    }

    private static func release(
        _ name: String, _ store: StoreClient
    ) throws(CommandError) -> JSONItem {
        let released = try StorePlace.translated { () throws(StoreFault) in
            try store.changeQuarantine { $0.release(name) }
        }
        guard !released.isEmpty else {
            throw CommandError(
                .missing, "`\(Shown.line(name))` is neither a plugin nor a hash that is quarantined"
            )
        }
        return .object([("released", .list(released.map(QuarantineCommand.item)))])
    }

    private func look(
        _ call: HTTPCall, _ item: @escaping (StoreClient) throws(CommandError) -> JSONItem
    ) {
        thread.answer(call) { (store) throws(CommandError) in
            HTTPAnswer(json: try item(store).written)
        }
    }

    private func list(
        _ call: HTTPCall, _ query: ControlQuery, _ caller: ControlCaller
    ) throws(HTTPFault) {
        let limit = Int(try query.number("limit", 1...1_000) ?? 100)
        let skipped = try query.number("after", 0...UInt64(ListCommand.pageLimit)) ?? 0
        let number = try query.number("host", 1...UInt64(Int64.max))
        var listed: ListCommand.Query
        do throws(CommandError) {
            listed = try ListCommand.Query(
                states: query["state"], view: query["view"], identifier: query["identifier"],
                text: query["text"], skipped: Int(skipped), limit: limit)
            listed.schedule = query["schedule"]
            listed.host = number.map { Int64($0) }
        } catch {
            throw HTTPFault(400, "query", error.message, help: error.help)
        }
        guard [nil, "live", "history"].contains(query["view"]) else {
            throw HTTPFault(
                400, "query", "`view` is live or history", help: ["leave it out for both"])
        }
        listed.owner = caller.scope
        let screen = try ControlScreen(query)
        look(call) { [listed, shown] (store) throws(CommandError) in
            guard let screen else { return try ListCommand.item(listed, store) }
            return try screen.item { (console) throws(CommandError) in
                try ListCommand.print(listed, store, shown, console)
            }
        }
    }

    private func journal(_ call: HTTPCall, _ query: ControlQuery) throws(HTTPFault) {
        let limit = Int(try query.number("limit", 1...1_000) ?? 100)
        let after = try query.number("after", 0...UInt64(Int64.max)) ?? 0
        let request = try query.request("request")
        let head = call.request.head
        if HTTPAccept(head.accept).weight("text/event-stream") ?? 0 > 0 {
            guard query["limit"] == nil else {
                throw HTTPFault(400, "query", "a stream has no `limit`", help: ["leave it out"])
            }
            return thread.follow(call, of: request, after: try Self.lastEvent(head) ?? after)
        }
        look(call) { (store) throws(CommandError) in
            let entries = try StorePlace.translated { () throws(StoreFault) in
                try store.read { (transaction) throws(StoreFault) in
                    try transaction.journal(after: after, of: request, limit: limit)
                }
            }
            return .object([("entries", .list(entries.map(RequestItem.item)))])
        }
    }

    private static func lastEvent(_ head: HTTPHead) throws(HTTPFault) -> UInt64? {
        guard let text = head.lastEventID else { return nil }
        guard let number = NumberArgument.parse(text), number <= UInt64(Int64.max) else {
            throw HTTPFault(400, "query", "Last-Event-ID is not the number of an event")
        }
        return number
    }

    private static func record(
        _ id: RequestID, _ store: StoreClient
    ) throws(CommandError) -> RequestRecord {
        guard let record = try RequestRecord(id, store) else { throw missing(id) }
        return record
    }

    private static func request(
        _ id: RequestID, _ store: StoreClient
    ) throws(CommandError) -> Request {
        let request = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in try transaction.request(id) }
        }
        guard let request else { throw missing(id) }
        return request
    }

    /// Returns a request that a user may see: to others one is as if it were not there.
    @discardableResult
    private static func see(
        _ id: RequestID, _ store: StoreClient, _ caller: ControlCaller
    ) throws(CommandError) -> Request {
        let request = try request(id, store)
        if let scope = caller.scope, request.owner != scope { throw missing(id) }
        return request
    }

    private static func missing(_ id: RequestID) -> CommandError {
        CommandError(.missing, "there is no request \(id)")
    }

    private func payload(_ call: HTTPCall, _ id: RequestID, _ caller: ControlCaller) {
        thread.answer(call) { (store) throws(CommandError) in
            guard caller.operates(try Self.see(id, store, caller)) else {
                self.note("the payload of request \(id)", caller, nil)
                throw Self.foreign(id)
            }
            let payload = try StorePlace.translated { () throws(StoreFault) in
                try store.read { (transaction) throws(StoreFault) -> [UInt8]? in
                    try transaction.request(id) == nil ? nil : try transaction.payload(of: id)
                }
            }
            guard let payload else { throw Self.missing(id) }
            return HTTPAnswer(200, payload, "application/octet-stream")
        }
    }

    // MARK: Changing

    /// Changes a request, and answers with what it is then.
    private func change(
        _ call: HTTPCall, _ id: RequestID, _ caller: ControlCaller, launches: Bool = false,
        _ body: @escaping (Host) throws(CurfewError) -> Void
    ) throws(HTTPFault) {
        try change(call, caller, launches: launches, of: { _ in id }) {
            (host, _) throws(CurfewError) in try body(host)
        }
    }

    /// - Parameter find: returns the number of the request.
    private func change(
        _ call: HTTPCall, _ caller: ControlCaller, launches: Bool,
        of find: @escaping (StoreClient) throws(CommandError) -> RequestID,
        _ body: @escaping (Host, RequestID) throws(CurfewError) -> Void
    ) throws(HTTPFault) {
        try access.submits(1, caller)
        let host = self.host
        thread.answer(call) { (store) throws(CommandError) in
            let id = try find(store)
            // Whose it is never changes.
            do throws(CommandError) {
                let request = try Self.see(id, store, caller)
                guard caller.operates(request) else { throw Self.foreign(id) }
                if launches, let fault = caller.refusal(launching: request) {
                    throw CommandError(.denied, fault.message, help: fault.help)
                }
            } catch {
                self.note("a change of request \(id)", caller, nil)
                throw error
            }
            try Self.asked(host) { (host) throws(CurfewError) in try body(host, id) }
            return HTTPAnswer(json: RequestItem.item(try Self.request(id, store)).written)
        }
    }

    /// Changes requests in one transaction, and answers with what was refused.
    private func changeMany(
        _ call: HTTPCall, _ action: RequestAction, _ caller: ControlCaller
    ) throws(HTTPFault) {
        let (change, host) = (try BulkChange(action, call.request.body), self.host)
        try access.submits(1, caller)
        look(call) { (store) throws(CommandError) in try change.perform(host, store, caller) }
    }

    private static func foreign(_ id: RequestID) -> CommandError {
        CommandError(
            .denied, "request \(id) is another user's", help: ["that needs the role operate"])
    }

    static func code(_ status: Status) -> ExitCode {
        switch status {
        case .notFound: .missing
        case .wrongState, .already, .exists, .tooMany: .conflict
        case .invalid: .usage
        default: .storeUnavailable
        }
    }

    // MARK: Submitting

    private func submit(
        _ call: HTTPCall, _ caller: ControlCaller, isBatch: Bool
    ) throws(HTTPFault) -> Submit {
        let host = self.host
        let trace = call.request.head.traceparent.flatMap { TraceContext($0) }
        let items = try SubmissionBody.drafts(call.request.body, isBatch: isBatch) {
            host.kind(ofHandler: $0)
        }.map { item in
            guard case .success(var draft) = item else { return item }
            if let fault = Self.refusal(draft, caller) {
                note("to submit \(draft.description.identifier)", caller, nil)
                return .failure(fault)
            }
            guard let trace, draft.description.trace == nil else { return item }
            draft.description.trace = trace
            return .success(draft)
        }
        try access.submits(items.count, caller)
        return Submit(call: call, requester: caller.requester, items: items, isBatch: isBatch)
    }

    private static func refusal(_ draft: RequestDraft, _ caller: ControlCaller) -> HTTPFault? {
        let identifier = draft.description.identifier
        if caller.rights.administers { return nil }
        if identifier == CommandPayload.identifier { return ControlCaller.program }
        return caller.rights.submits(identifier) ? nil : caller.notSubmittable(identifier)
    }

    /// Submits all in one transaction. A call alone is committed on this thread, which saves two switches to
    /// another; beside the commit of several the next ones are read.
    ///
    /// The calls of each user are a transaction of their own; all but one come from the same user as a rule.
    private func perform(_ submits: [Submit]) {
        guard let first = submits.first else { return }
        let isOneUser = submits.dropFirst().allSatisfy { $0.requester == first.requester }
        let users =
            isOneUser
            ? [first.requester: submits] : Dictionary(grouping: submits, by: \.requester)
        for (requester, submits) in users {
            let drafts = submits.flatMap { $0.items.compactMap { try? $0.get() } }
            guard !drafts.isEmpty else {
                Self.answer(submits, [])
                continue
            }
            host.submit(drafts, by: requester, runsHere: submits.count == 1) {
                Self.answer(submits, $0)
            }
        }
    }

    /// - Parameter results: those of the items that could be read, in order.
    private static func answer(
        _ submits: [Submit], _ results: [Result<Submission, RequestFailure>]
    ) {
        var results = results[...]
        HTTPCall.answer(
            submits.map { submit in
                let answers = submit.items.map { item -> (status: UInt32, json: String) in
                    switch item {
                    case .failure(let fault): (fault.status, fault.json)
                    case .success: answer(results.removeFirst())
                    }
                }
                return (
                    submit.call,
                    submit.isBatch
                        ? together(answers) : HTTPAnswer(answers[0].status, json: answers[0].json)
                )
            })
    }

    private static func together(_ answers: [(status: UInt32, json: String)]) -> HTTPAnswer {
        let items = answers.map { "{\"status\":\($0.status),\"answer\":\($0.json)}" }
        return HTTPAnswer(json: "{\"items\":[\(items.joined(separator: ","))]}")
    }

    private static func answer(
        _ result: Result<Submission, RequestFailure>
    ) -> (status: UInt32, json: String) {
        switch result {
        case .failure(let failure):
            let fault = HTTPFault(failure)
            return (fault.status, fault.json)
        case .success(let submission):
            var isNew = false
            if case .queued = submission { isNew = true }
            return (
                isNew ? 201 : 200, JSONItem.object(SubmitCommand.members(submission)).written
            )
        }
    }
}
