// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import Scheduling
import Service

/// The user who has made a call.
struct ControlCaller: Sendable {
    let rights: Rights
    /// Nil for the host's own user.
    let requester: Requester?

    /// The user whose requests are all that may be seen; nil: everybody's.
    var scope: UInt32? { rights.reads ? nil : requester?.user }

    /// Whether a request may be changed, and its payload read.
    func operates(_ request: Request) -> Bool {
        rights.operates || requester.map { $0.user == request.owner } ?? true
    }

    /// Why a user may not have a request launched that is the user's to change: what may be submitted may have
    /// changed since, and a program runs with the rights of the host's user.
    func refusal(launching request: Request) -> HTTPFault? {
        let identifier = request.description.identifier
        if rights.administers { return nil }
        if identifier == CommandPayload.identifier {
            return request.owner == nil && rights.operates ? nil : Self.program
        }
        return rights.operates || rights.submits(identifier) ? nil : notSubmittable(identifier)
    }

    static let program = HTTPFault(
        403, "role", "a program runs with the rights of the host's user",
        help: ["submit a request for a handler; a program needs the role admin"])

    func notSubmittable(_ identifier: String) -> HTTPFault {
        HTTPFault(
            403, "role", "`\(Shown.line(identifier))` may not be submitted by this user",
            help: ["the host permits \(rights.submittable)"])
    }

    /// Who it is, and may do what.
    func item(_ peer: HTTPPeer) -> JSONItem {
        let name = getpwuid(peer.user).map { String(cString: $0.pointee.pw_name) }
        let has: [(Role, Bool)] = [
            (.read, rights.reads), (.submit, rights.submits), (.operate, rights.operates),
            (.admin, rights.administers),
        ]
        return .object([
            ("user", .text(name ?? "\(peer.user)")), ("number", .integer(Int64(peer.user))),
            ("rights", .list(has.filter(\.1).map { .text($0.0.rawValue) })),
        ])
    }

    func fault(_ need: ControlRoute.Need) -> HTTPFault? {
        guard !need.isMet(by: rights) else { return nil }
        let user = requester.map { "user \($0.user)" } ?? "this user"
        return HTTPFault(
            403, "role",
            rights.isEmpty
                ? "\(user) has no role with this host"
                : "\(user) has the \(rights.text), and this needs the role \(need.role.rawValue)",
            help: [
                "its administrator gives roles, with `control` in its configuration: see `curfew help serve`"
            ])
    }
}
