// SPDX-License-Identifier: Apache-2.0
import Runner
import Scheduling
import Service

/// A call of the control socket. `openapi.json` describes all of them for clients.
struct ControlRoute {
    enum Action: Equatable {
        case page, me, metrics, web
        case host, hosts, health, tasks, handlers, plugins, factors, statistics
        case misses, ends, factorHistory, counts, usage
        case pause, resume, releasePlugin, restartSchedule, launchSchedule
        case settings, setSetting, setFactor, resetFactor
        case changeMany(RequestAction)
        case reload, drain, endDrain
        case requests, journal, schedules
        case submit, submitBatch
        case show, payload, why, history, wait
        case cancel, retry, launch, release

        /// For the journal.
        var text: String {
            if case .changeMany(let action) = self { return "\(action.rawValue) of many" }
            return "\(self)"
        }
    }

    /// What a user needs for a call.
    enum Need {
        /// Any role.
        case any
        case read
        /// To read, or the request belongs to the user.
        case readOwn
        /// To operate, or the request belongs to the user.
        case operateOwn
        case submit, operate, admin

        /// Whether some requests, or all, can be asked for with these rights.
        func isMet(by rights: Rights) -> Bool {
            switch self {
            case .any: !rights.isEmpty
            case .read: rights.reads
            case .readOwn: rights.reads || rights.submits
            case .operateOwn: rights.operates || rights.submits
            case .submit: rights.submits
            case .operate: rights.operates
            case .admin: rights.administers
            }
        }

        /// The least role that is enough, for people.
        var role: Role {
            switch self {
            case .any, .read, .readOwn: .read
            case .submit: .submit
            case .operate, .operateOwn: .operate
            case .admin: .admin
            }
        }
    }

    let method: String
    /// The parts of its path; `{id}` is the number of a request.
    let path: [String]
    /// The names that its query may have.
    let query: [String]
    let action: Action
    let need: Need

    private init(
        _ method: String, _ path: String, _ query: [String], _ action: Action, _ need: Need
    ) {
        self.need = need
        self.method = method
        self.path = path.parts(at: "/").map(String.init)
        self.query = query
        self.action = action
    }

    private static let screen = ["screen", "colour"]

    static let all = [
        ControlRoute("GET", "/", [], .page, .any),
        ControlRoute("GET", "/page/{name}", [], .page, .any),
        ControlRoute("GET", "/v1/me", [], .me, .any),
        ControlRoute("POST", "/v1/web", [], .web, .read),
        ControlRoute("GET", "/v1/statistics", StatisticsQuery.names, .statistics, .read),
        ControlRoute("GET", "/v1/host", [], .host, .any),
        ControlRoute("GET", "/v1/hosts", [], .hosts, .read),
        ControlRoute("GET", "/v1/health", [], .health, .read),
        ControlRoute("GET", "/v1/tasks", [], .tasks, .read),
        ControlRoute("GET", "/v1/handlers", [], .handlers, .read),
        ControlRoute("GET", "/v1/plugins", [], .plugins, .read),
        ControlRoute("POST", "/v1/handlers/{name}/pause", [], .pause, .operate),
        ControlRoute("POST", "/v1/handlers/{name}/resume", [], .resume, .operate),
        ControlRoute("POST", "/v1/plugins/{name}/release", [], .releasePlugin, .admin),
        ControlRoute("GET", "/v1/factors", [], .factors, .read),
        ControlRoute("GET", "/v1/factors/history", DateRange.names, .factorHistory, .read),
        ControlRoute("PUT", "/v1/factors/{name}", [], .setFactor, .admin),
        ControlRoute("DELETE", "/v1/factors/{name}", [], .resetFactor, .admin),
        ControlRoute("GET", "/v1/settings", [], .settings, .read),
        ControlRoute("PUT", "/v1/settings", [], .setSetting, .operate),
        ControlRoute("PUT", "/v1/handlers/{name}/settings", [], .setSetting, .operate),
        ControlRoute("PUT", "/v1/plugins/{name}/settings", [], .setSetting, .operate),
        ControlRoute("GET", "/v1/misses", MissesQuery.names, .misses, .read),
        ControlRoute("GET", "/v1/ends", EndsQuery.names, .ends, .read),
        ControlRoute("GET", "/v1/counts", [], .counts, .read),
        ControlRoute("GET", "/v1/usage", [], .usage, .read),
        ControlRoute("GET", "/metrics", [], .metrics, .read),
        ControlRoute("POST", "/v1/reload", [], .reload, .admin),
        ControlRoute("POST", "/v1/drain", ["timeout"], .drain, .admin),
        ControlRoute("DELETE", "/v1/drain", [], .endDrain, .admin),
        ControlRoute(
            "GET", "/v1/requests",
            ["state", "view", "identifier", "text", "schedule", "host", "limit", "after"] + screen,
            .requests, .readOwn),
        ControlRoute("POST", "/v1/requests", [], .submit, .submit),
        ControlRoute("POST", "/v1/requests:batch", [], .submitBatch, .submit),
        many(.cancel), many(.retry), many(.launch), many(.release),
        ControlRoute("GET", "/v1/requests/{id}", screen, .show, .readOwn),
        ControlRoute("GET", "/v1/requests/{id}/payload", [], .payload, .operateOwn),
        ControlRoute("GET", "/v1/requests/{id}/why", screen, .why, .readOwn),
        ControlRoute("GET", "/v1/requests/{id}/history", screen, .history, .readOwn),
        ControlRoute("GET", "/v1/requests/{id}/wait", ["timeout"], .wait, .readOwn),
        ControlRoute("POST", "/v1/requests/{id}/cancel", [], .cancel, .operateOwn),
        ControlRoute("POST", "/v1/requests/{id}/retry", [], .retry, .operateOwn),
        ControlRoute("POST", "/v1/requests/{id}/launch", [], .launch, .operate),
        ControlRoute("POST", "/v1/requests/{id}/release", [], .release, .operate),
        ControlRoute("GET", "/v1/schedules", [], .schedules, .read),
        ControlRoute("POST", "/v1/schedules/{name}/restart", [], .restartSchedule, .operate),
        ControlRoute("POST", "/v1/schedules/{name}/launch", [], .launchSchedule, .operate),
        ControlRoute("GET", "/v1/journal", ["after", "request", "limit"], .journal, .read),
    ]

    /// Those without a name or number in their path, by their method and path.
    private static let fixed = Dictionary(
        uniqueKeysWithValues: all.filter { route in !route.path.contains { $0.begins(with: "{") } }
            .map { ([$0.method] + $0.path, $0) })

    private static func many(_ action: RequestAction) -> ControlRoute {
        ControlRoute("POST", "/v1/requests:\(action.rawValue)", [], .changeMany(action), .operate)
    }

    /// Returns the route of a request, and the number in its path.
    static func find(_ request: HTTPRequest) throws(HTTPFault) -> (ControlRoute, RequestID?) {
        let path = request.target.path
        if let route = fixed[[request.method] + path], route.match(path) != nil {
            return (route, nil)
        }
        var methods: [String] = []
        for route in all {
            guard let id = route.match(path) else { continue }
            if route.method == request.method { return (route, id) }
            methods.append(route.method)
        }
        guard methods.isEmpty else {
            throw HTTPFault(
                405, "method", "the method has to be \(methods.joined(separator: " or ")) here",
                allows: methods)
        }
        throw HTTPFault(
            404, "notFound", "there is nothing at /\(Shown.line(path.joined(separator: "/")))",
            help: ["the calls are in share/curfew/openapi.json"])
    }

    /// Returns nil if the path is another one; a number that is none matches nothing.
    private func match(_ path: [String]) -> RequestID?? {
        // The root has one part, which is empty.
        if self.path.isEmpty { return path == [""] ? .some(nil) : nil }
        guard path.count == self.path.count else { return nil }
        var id: RequestID?
        for (own, part) in zip(self.path, path) {
            if own == "{id}" {
                guard let number = RequestArgument.parse(part) else { return nil }
                id = number
            } else if own == "{name}" {
                continue
            } else if own.utf8.count != part.utf8.count || own != part {
                // Characters that are equal and have other bytes are longer: the routes are ASCII.
                return nil
            }
        }
        return .some(id)
    }
}
