// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Service

/// A call of the control socket. `openapi.json` describes all of them for clients.
struct ControlRoute {
    enum Action {
        case host, health, tasks, handlers, plugins, factors
        case reload, drain, endDrain
        case requests, journal, schedules
        case submit, submitBatch
        case show, payload, why, history, wait
        case cancel, retry, launch, release
    }

    let method: String
    /// The parts of its path; `{id}` is the number of a request.
    let path: [String]
    /// The names that its query may have.
    let query: [String]
    let action: Action

    private init(_ method: String, _ path: String, _ query: [String], _ action: Action) {
        self.method = method
        self.path = path.parts(at: "/").map(String.init)
        self.query = query
        self.action = action
    }

    static let all = [
        ControlRoute("GET", "/v1/host", [], .host),
        ControlRoute("GET", "/v1/health", [], .health),
        ControlRoute("GET", "/v1/tasks", [], .tasks),
        ControlRoute("GET", "/v1/handlers", [], .handlers),
        ControlRoute("GET", "/v1/plugins", [], .plugins),
        ControlRoute("GET", "/v1/factors", [], .factors),
        ControlRoute("POST", "/v1/reload", [], .reload),
        ControlRoute("POST", "/v1/drain", ["timeout"], .drain),
        ControlRoute("DELETE", "/v1/drain", [], .endDrain),
        ControlRoute("GET", "/v1/requests", ["state", "identifier", "limit"], .requests),
        ControlRoute("POST", "/v1/requests", [], .submit),
        ControlRoute("POST", "/v1/requests:batch", [], .submitBatch),
        ControlRoute("GET", "/v1/requests/{id}", [], .show),
        ControlRoute("GET", "/v1/requests/{id}/payload", [], .payload),
        ControlRoute("GET", "/v1/requests/{id}/why", [], .why),
        ControlRoute("GET", "/v1/requests/{id}/history", [], .history),
        ControlRoute("GET", "/v1/requests/{id}/wait", ["timeout"], .wait),
        ControlRoute("POST", "/v1/requests/{id}/cancel", [], .cancel),
        ControlRoute("POST", "/v1/requests/{id}/retry", [], .retry),
        ControlRoute("POST", "/v1/requests/{id}/launch", [], .launch),
        ControlRoute("POST", "/v1/requests/{id}/release", [], .release),
        ControlRoute("GET", "/v1/schedules", [], .schedules),
        ControlRoute("GET", "/v1/journal", ["after", "request", "limit"], .journal),
    ]

    /// Returns the route of a request, and the number in its path.
    static func find(_ request: HTTPRequest) throws(HTTPFault) -> (ControlRoute, RequestID?) {
        let path = request.target.path
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
        guard path.count == self.path.count else { return nil }
        var id: RequestID?
        for (own, part) in zip(self.path, path) {
            if own == "{id}" {
                guard let number = RequestArgument.parse(part) else { return nil }
                id = number
            } else if !own.utf8.elementsEqual(part.utf8) {
                return nil
            }
        }
        return .some(id)
    }
}
