// SPDX-License-Identifier: Apache-2.0
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
