// SPDX-License-Identifier: Apache-2.0
import Foundation
import Scheduling
import Testing

@testable import Persistence

@Suite("Which process a host is")
struct HostIdentityTests {
    @Test("this one has its number, and the same identity each time")
    func current() throws {
        let identity = try HostIdentity.current()
        #expect(identity.process == getpid())
        #expect(identity.start > 0)
        #expect(UUID(uuidString: identity.boot) != nil)
        #expect(try HostIdentity.current() == identity)
    }

    @Test("a program's name cannot be taken for the fields after it")
    func names() {
        let rest = "S " + (4...21).map(String.init).joined(separator: " ") + " 22000 23 24\n"
        for name in [
            "curfew", "a b", ") S 1 2 3", "((", "a) (b", "", "\u{600}", "a\u{301}", "\r\n",
        ] {
            #expect(HostIdentity.start(inStat: "71 (\(name)) \(rest)") == 22_000)
        }
        #expect(HostIdentity.start(inStat: "71 (a) S 4 5") == nil)
        #expect(HostIdentity.start(inStat: "") == nil)
        #expect(HostIdentity.start(inStat: "71 (a) \(rest.replacing("22000", with: "-1"))") == nil)
    }

    @Test("a boot's id has no blank")
    func boots() {
        #expect(HostIdentity.isBoot("3d8a5f0e-0c1b-4a52-9d6f-0e9c1f3b7a11"))
        for text in ["", "a b", "a\n", "ä", String(repeating: "a", count: 65)] {
            #expect(!HostIdentity.isBoot(text))
        }
    }
}
