// SPDX-License-Identifier: Apache-2.0
import Service
import Synchronization
import Testing

struct WebSessionsTests {
    private static let alice = HTTPPeer(user: 1_000, group: 1_000, process: 1)
    private static let bob = HTTPPeer(user: 1_001, group: 1_001, process: 2)
    private static let second: UInt64 = 1_000_000_000

    /// Sessions whose secrets are the numbers from 1.
    private static func numbered() -> WebSessions {
        let next = Atomic<Int>(0)
        let box = Box(next)
        return WebSessions { "\(box.next.wrappingAdd(1, ordering: .relaxed).newValue)" }
    }

    private final class Box: Sendable {
        let next: Atomic<Int>

        init(_ next: consuming Atomic<Int>) { self.next = next }
    }

    @Test("a link begins one session, within 5 minutes")
    func links() {
        var sessions = Self.numbered()
        let first = sessions.link(for: Self.alice, at: 0)
        let second = sessions.link(for: Self.bob, at: 0)
        let session = sessions.begin(first, at: WebSessions.linkSpan - 1)
        #expect(session != nil)
        #expect(sessions.begin(first, at: WebSessions.linkSpan - 1) == nil)
        #expect(sessions.begin(second, at: WebSessions.linkSpan) == nil)
        #expect(sessions.begin("", at: 0) == nil)
        #expect(sessions.peer(of: session!, at: WebSessions.linkSpan) == Self.alice)
        #expect(sessions.peer(of: first, at: WebSessions.linkSpan) == nil)
    }

    @Test("a session ends once it has rested for 12 hours")
    func rest() {
        var sessions = Self.numbered()
        let session = sessions.begin(sessions.link(for: Self.alice, at: 0), at: 0)!
        var now = WebSessions.restSpan - 1
        #expect(sessions.peer(of: session, at: now) == Self.alice)
        now += WebSessions.restSpan - 1
        #expect(sessions.peer(of: session, at: now) == Self.alice)
        #expect(sessions.peer(of: session, at: now + WebSessions.restSpan) == nil)
    }

    @Test("the session that has rested longest makes room; links do not push sessions out")
    func room() {
        var sessions = Self.numbered()
        let kept = (0..<WebSessions.limit).map { turn in
            let now = UInt64(turn) * Self.second
            return sessions.begin(sessions.link(for: Self.alice, at: now), at: now)!
        }
        let now = UInt64(WebSessions.limit) * Self.second
        for _ in 0..<1_000 { _ = sessions.link(for: Self.bob, at: now) }
        #expect(sessions.peer(of: kept[0], at: now) == Self.alice)
        let new = sessions.begin(sessions.link(for: Self.bob, at: now), at: now)!
        #expect(sessions.peer(of: kept[1], at: now) == nil)
        #expect(sessions.peer(of: kept[0], at: now) == Self.alice)
        #expect(sessions.peer(of: new, at: now) == Self.bob)
    }

    @Test("secrets have 256 bits, and no two are the same")
    func secrets() {
        var sessions = WebSessions()
        let links = (0..<100).map { _ in sessions.link(for: Self.alice, at: 0) }
        #expect(Set(links).count == 100)
        #expect(links.allSatisfy { $0.utf8.count == 64 })
    }
}
