// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Service

/// Lets the requests of browsers in that have a session.
///
/// A page from elsewhere can make a browser send requests here. It has no session, since the cookie stays away from such
/// requests (SameSite=Strict); it cannot give this host another name (Host); and what it wants changed is refused
/// (Sec-Fetch-Site, or Origin in browsers without that).
final class WebAccess: Sendable {
    private let sessions = Locked(WebSessions())
    /// The values that `Host` may have.
    private let names: Set<String>
    private let cookie: String
    /// Whom requests for metrics without a session are from; nil if they need one.
    private let scraper: HTTPPeer?

    /// - Parameters:
    ///   - names: by which browsers may know the host, with the port where it is not the usual one.
    ///   - port: that is listened on. Cookies of one machine are for all of its ports.
    init(names: [String], port: UInt16, scraper: HTTPPeer?) {
        self.names = Set(names)
        self.scraper = scraper
        cookie = "curfew-\(port)"
    }

    /// Returns a secret that begins one session of a user, at `/?token=`.
    func link(for peer: HTTPPeer) -> String {
        sessions.withLock { $0.link(for: peer, at: csys_monotonic_ns()) }
    }

    func admit(_ request: HTTPRequest) -> HTTPAdmission {
        let head = request.head
        guard let host = head.host, names.contains(host) else {
            return refused(
                403, "host", "this host is not known by that name",
                help: "name it in `names` of `web` in the configuration")
        }
        if request.method != "GET" {
            let isOwn =
                head.fetchSite.map { $0 == "same-origin" || $0 == "none" }
                ?? head.origin.map { $0 == "http://" + host || $0 == "https://" + host } ?? true
            guard isOwn else {
                return refused(
                    403, "site", "a page from elsewhere may change nothing here",
                    help: "use the page that this host serves")
            }
        }
        let path = request.target.path
        let isPage = path == [""]
        // Programs that preview links send HEAD, which must not use a link up.
        if isPage, request.method == "GET",
            let token = request.target.query.first(where: { $0.name == "token" })?.value
        {
            return begin(token)
        }
        if let scraper, request.method == "GET", path == ["metrics"] { return .from(scraper) }
        if let session = session(in: head.cookie ?? ""),
            let peer = sessions.withLock({ $0.peer(of: session, at: csys_monotonic_ns()) })
        {
            return .from(peer)
        }
        return isPage
            ? .answered(Self.sentence(Self.noSession))
            : refused(
                401, "session", Self.noSession, help: "curfew web")
    }

    private static let noSession = "you are not signed in: type `curfew web`, and open its link"

    private func begin(_ token: String) -> HTTPAdmission {
        guard let session = sessions.withLock({ $0.begin(token, at: csys_monotonic_ns()) }) else {
            return .answered(
                Self.sentence(
                    "this link was used before, or is older than 5 minutes: type `curfew web` again"
                ))
        }
        return .answered(
            HTTPAnswer(
                303, [], "text/plain; charset=utf-8",
                headers: [
                    ("Location", "/"),
                    (
                        "Set-Cookie",
                        "\(cookie)=\(session); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(WebSessions.restSpan / 1_000_000_000)"
                    ), ("Referrer-Policy", "no-referrer"),
                ]))
    }

    /// What a person reads who has no session.
    private static func sentence(_ text: String) -> HTTPAnswer {
        HTTPAnswer(401, Array((text + "\n").utf8), "text/plain; charset=utf-8")
    }

    private func refused(
        _ status: UInt32, _ code: String, _ message: String, help: String
    ) -> HTTPAdmission {
        .answered(HTTPAnswer(HTTPFault(status, code, message, help: [help])))
    }

    private func session(in cookies: String) -> String? {
        for pair in cookies.split(separator: ";") {
            let halves = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if halves.count == 2, halves[0] == cookie { return String(halves[1]) }
        }
        return nil
    }
}
