// SPDX-License-Identifier: Apache-2.0

/// Who may use the web page over TCP: links that work once, and the sessions that they begin.
///
/// Times are those of one clock, in nanoseconds.
package struct WebSessions: Sendable {
    /// For how long a link works.
    package static let linkSpan: UInt64 = 300_000_000_000
    /// For how long a session may rest.
    package static let restSpan: UInt64 = 12 * 3_600_000_000_000
    /// The most links and the most sessions; the one that has rested longest makes room.
    package static let limit = 64

    private struct Entry {
        let peer: HTTPPeer
        var until: UInt64
    }

    private var links: [String: Entry] = [:]
    private var sessions: [String: Entry] = [:]
    private let secret: @Sendable () -> String

    /// - Parameter secret: returns a text that nobody guesses, each time another one.
    package init(secret: @escaping @Sendable () -> String = { Self.random() }) {
        self.secret = secret
    }

    /// 256 bits from the kernel, in hexadecimal digits.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// Returns a new secret that begins one session of a user.
    package mutating func link(for peer: HTTPPeer, at now: UInt64) -> String {
        Self.makeRoom(in: &links, at: now)
        let link = secret()
        links[link] = Entry(peer: peer, until: now &+ Self.linkSpan)
        return link
    }

    /// Begins a session, and returns its secret. Nil if the link was used, is too old, or never was.
    package mutating func begin(_ link: String, at now: UInt64) -> String? {
        guard let entry = links.removeValue(forKey: link), entry.until > now else { return nil }
        Self.makeRoom(in: &sessions, at: now)
        let session = secret()
        sessions[session] = Entry(peer: entry.peer, until: now &+ Self.restSpan)
        return session
    }

    /// Returns whose session it is, which goes on; nil if there is none.
    package mutating func peer(of session: String, at now: UInt64) -> HTTPPeer? {
        guard let entry = sessions[session], entry.until > now else { return nil }
        sessions[session]?.until = now &+ Self.restSpan
        return entry.peer
    }

    private static func makeRoom(in entries: inout [String: Entry], at now: UInt64) {
        entries = entries.filter { $0.value.until > now }
        guard entries.count >= limit,
            let oldest = entries.min(by: { $0.value.until < $1.value.until })?.key
        else { return }
        entries[oldest] = nil
    }
}
