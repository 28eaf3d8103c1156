// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Service

@Suite("Who may do what over the control socket")
struct AccessRulesTests {
    private let users: [String: UInt32] = ["alice": 1_001, "bob": 1_002, "7": 1_007]
    private let groups: [String: UInt32] = ["staff": 50]

    private func rules(_ roles: [Role: ControlSettings.Members]) -> AccessRules {
        var settings = ControlSettings()
        settings.roles = roles
        return AccessRules(settings, own: 1_000, user: { users[$0] }, group: { groups[$0] })
    }

    private func peer(_ user: UInt32, _ group: UInt32 = 100, _ groups: [UInt32] = []) -> HTTPPeer {
        HTTPPeer(user: user, group: group, groups: groups, process: 1)
    }

    @Test("the host's own user and root may do all, others nothing without a role")
    func usual() {
        let rules = rules([:])
        for user in [UInt32(0), 1_000] {
            let rights = rules.rights(of: peer(user))
            #expect(rights.administers && rights.operates && rights.reads && rights.submits)
            #expect(rights.submits("org.example.tidy"))
        }
        #expect(rules.rights(of: peer(1_001)).isEmpty)
        #expect(rules.rights(of: peer(.max)).isEmpty)
    }

    @Test("a user has the roles of the user and of the groups; each is what it says")
    func roles() {
        let rules = rules([
            .read: .init(users: ["alice"]),
            .submit: .init(
                groups: ["staff", "60"], identifiers: ["org.example.*", "org.other.one"]),
            .operate: .init(users: ["1003"]), .admin: .init(users: ["bob"]),
        ])
        let alice = rules.rights(of: peer(1_001))
        #expect(alice.reads && !alice.submits && !alice.operates && alice.text == "role read")
        for staff in [peer(1_009, 50), peer(1_009, 9, [4, 60])] {
            let rights = rules.rights(of: staff)
            #expect(rights.submits && !rights.reads && !rights.operates)
        }
        let both = rules.rights(of: peer(1_001, 9, [50]))
        #expect(both.reads && both.submits && both.text == "roles read, submit")
        let clerk = rules.rights(of: peer(1_003))
        #expect(clerk.operates && clerk.reads && !clerk.submits && !clerk.administers)
        #expect(rules.rights(of: peer(1_002)).administers)
    }

    @Test("identifiers are whole, or beginnings with a star")
    func identifiers() {
        let rights = Rights([.submit], identifiers: ["org.example.*", "org.other.one"])
        #expect(rights.submits("org.example.tidy") && rights.submits("org.other.one"))
        for other in ["org.example", "org.exampletidy", "org.other.one.more", "org.other.On", ""] {
            #expect(!rights.submits(other))
        }
        #expect(Rights([.submit], identifiers: ["*"]).submits("com.x.y"))
        #expect(!Rights([.read], identifiers: ["*"]).submits("com.x.y"))
        for good in ["*", "org.*", "org.example.*", "org.example.tidy"] {
            #expect(AccessRules.isPattern(good), "\(good)")
        }
        for bad in ["", "org*", "org.example.ti*", "*.tidy", "org.*.tidy", ".*", "org example.*"] {
            #expect(!AccessRules.isPattern(bad), "\(bad)")
        }
    }

    @Test(
        "a name of digits is a number unless a user has it; unknown names are told, and are nobody")
    func unknown() {
        let rules = rules([
            .admin: .init(users: ["7", "8", "carol", "4294967295", "-1"], groups: ["wheel"])
        ])
        #expect(rules.rights(of: peer(1_007)).administers)
        #expect(rules.rights(of: peer(7)).isEmpty)
        #expect(rules.rights(of: peer(8)).administers)
        #expect(rules.unknown.map(\.name) == ["carol", "4294967295", "-1", "wheel"])
        #expect(rules.rights(of: peer(.max)).isEmpty)
    }

    @Test("a rate lets a burst through, and then so many a second")
    func rate() {
        let second: UInt64 = 1_000_000_000
        var limit = RateLimit(rate: 10, burst: 20, at: 5 * second)
        for _ in 0..<20 { #expect(limit.take(1, at: 5 * second) == nil) }
        #expect(limit.take(1, at: 5 * second) == second / 10)
        #expect(limit.take(5, at: 5 * second + second / 10) == 4 * second / 10)
        #expect(limit.take(1, at: 5 * second + second / 10) == nil)
        // More than fits in at all takes all, and the rest later.
        #expect(limit.take(100, at: 6 * second) != nil)
        #expect(limit.take(100, at: 20 * second) == nil)
        #expect(limit.take(1, at: 20 * second) != nil)
        #expect(limit.take(1, at: 28 * second) == second / 10)
        #expect(!limit.isFull(at: 29 * second) && limit.isFull(at: 30 * second))
        // A clock that seems to go back changes nothing.
        #expect(limit.take(20, at: 0) == nil && limit.take(1, at: 0) != nil)
    }
}
