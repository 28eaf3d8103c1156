// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PluginBridge

@Suite("Whom the files of a plugin may belong to")
struct FileTrustTests {
    private let trust = FileTrust(
        user: 1000, outsiders: nil, isPrivate: { group, owner in group == owner })

    private func fault(
        _ mode: UInt32, owner: UInt32 = 1000, group: UInt32 = 50, list: Bool = false,
        as role: FileFacts.Role = .file, path: String = "/a/b"
    ) -> (rule: LoadRule, text: String)? {
        trust.fault(
            of: FileFacts(
                path: path, owner: owner, group: group, mode: mode, hasAccessList: list), as: role)
    }

    @Test("root's and the host's own, which others can only read, are fine", arguments: [0, 1000])
    func fine(owner: UInt32) {
        for role in [FileFacts.Role.passage, .link, .folder, .file] {
            #expect(fault(0o755, owner: owner, as: role) == nil)
            #expect(fault(0o600, owner: owner, as: role) == nil)
        }
    }

    @Test("what belongs to somebody else is not, whatever its mode")
    func others() throws {
        for role in [FileFacts.Role.passage, .folder, .file] {
            let fault = try #require(self.fault(0o1755, owner: 1001, as: role))
            #expect(fault.rule == .owner)
            #expect(fault.text.contains("/a/b belongs to another user than root or uid 1000"))
            #expect(fault.text.contains("(mode 1755, uid 1001, gid 50)"))
            #expect(fault.text.hasSuffix(": chown 1000 /a/b"))
        }
        #expect(
            try #require(fault(0o777, owner: 1001, as: .link)).text.hasSuffix("chown -h 1000 /a/b"))
    }

    @Test("root trusts nobody else")
    func root() {
        let trust = FileTrust(user: 0, outsiders: nil, isPrivate: { _, _ in false })
        let facts = FileFacts(path: "/a", owner: 1000, group: 0, mode: 0o700)
        #expect(trust.fault(of: facts, as: .file)?.rule == .owner)
    }

    @Test(
        "who may write is told, and the command that takes it from them",
        arguments: [
            (0o775, "by its group", "chmod g-w /a/b"), (0o757, "by everyone", "chmod o-w /a/b"),
            (0o777, "by everyone", "chmod go-w /a/b"),
        ] as [(UInt32, String, String)])
    func writable(mode: UInt32, who: String, command: String) throws {
        for role in [FileFacts.Role.passage, .folder, .file] {
            let fault = try #require(self.fault(mode, as: role))
            #expect(fault.rule == .writable)
            #expect(fault.text.contains("/a/b can be changed \(who)"))
            #expect(fault.text.hasSuffix(": " + command))
        }
        // A link has no mode of its own.
        #expect(fault(mode, as: .link) == nil)
    }

    @Test("a sticky directory is fine on the way, and is no plugin's")
    func sticky() {
        #expect(fault(0o1777, as: .passage) == nil)
        #expect(fault(0o1775, as: .passage) == nil)
        #expect(fault(0o1777, as: .folder)?.rule == .writable)
        #expect(fault(0o1777, as: .file)?.rule == .writable)
        #expect(fault(0o1777, owner: 1001, as: .passage)?.rule == .owner)
    }

    @Test("the owner's own group may write, unless a list gives its bits to others")
    func privateGroup() throws {
        #expect(fault(0o775, group: 1000) == nil)
        #expect(fault(0o777, group: 1000)?.text.hasSuffix("chmod o-w /a/b") == true)
        let fault = try #require(self.fault(0o775, group: 1000, list: true))
        #expect(fault.text.hasSuffix("setfacl -b /a/b && chmod g-w /a/b"))
    }

    @Test(
        "in a user namespace, those outside it are trusted on the way, and with the system's files")
    func outsiders() {
        let trust = FileTrust(user: 1000, outsiders: 65534, isPrivate: { _, _ in false })
        func fault(
            _ mode: UInt32, _ owner: UInt32, _ path: String = "/",
            as role: FileFacts.Role = .passage
        ) -> LoadRule? {
            trust.fault(
                of: FileFacts(path: path, owner: owner, group: 65534, mode: mode), as: role)?.rule
        }
        #expect(fault(0o755, 65534) == nil)
        #expect(fault(0o777, 65534, "/lib", as: .link) == nil)
        #expect(fault(0o775, 65534) == .writable)
        #expect(fault(0o755, 1001) == .owner)
        // It is anybody's number: root's, and that of a user who has put a plugin there.
        for role in [FileFacts.Role.folder, .file] {
            for path in ["/srv/plugin", "/usrlocal/a", "/usr", "/usr\u{2F}\u{301}a"] {
                let isSystem = path.utf8.starts(with: "/usr/".utf8)
                #expect(fault(0o755, 65534, path, as: role) == (isSystem ? nil : .owner), "\(path)")
            }
            #expect(fault(0o755, 65534, "/usr/lib/curfew/plugins/a", as: role) == nil)
            #expect(fault(0o777, 65534, "/usr/lib/curfew/plugins/a", as: role) == .writable)
            #expect(fault(0o755, 1000, "/srv/plugin", as: role) == nil)
        }
    }

    @Test("the number of those outside is known where it is no user's inside")
    func overflow() {
        func number(_ map: String, _ overflow: String = "65534\n") -> UInt32? {
            FileTrust.outsiders(map: map, overflow: overflow)
        }
        #expect(number("         0          0 4294967295\n") == nil)
        #expect(number("      1000       1000          1\n") == 65534)
        #expect(number("0 100000 65534\n1000 1000 1\n") == 65534)
        #expect(number("0 100000 65535\n") == nil)
        #expect(number("0 100000 65536\n", "70000") == 70000)
        #expect(number("65534 1 1\n") == nil)
        #expect(number("0 18446744073709551615 18446744073709551615\n") == nil)
        #expect(number("garbage\n") == nil)
        #expect(number("0 0 1", "") == nil)
    }

    @Test("a path is one word of the command, whatever is in it")
    func words() {
        #expect(fault(0o757, path: "/a b")?.text.hasSuffix("chmod o-w '/a b'") == true)
        #expect(fault(0o757, path: "/a'b")?.text.hasSuffix(#"chmod o-w '/a'\''b'"#) == true)
        #expect(fault(0o757, path: "/ä.b_c-d+1")?.text.hasSuffix("chmod o-w /ä.b_c-d+1") == true)
        #expect(fault(0o757, path: "/$(x)")?.text.hasSuffix("chmod o-w '/$(x)'") == true)
    }

    @Test("a group is private when nobody else is in it by either file")
    func groups() {
        let groups = PrivateGroups(
            group: """
                root:x:0:
                ann:x:1000:
                staff:x:50:
                both:x:60:ann,bob
                hers:x:61:ann
                bobs:x:1001:
                odd:x:70
                split:x:80:
                split:x:80:bob
                """.bytes,
            passwd: """
                root:x:0:0:root:/root:/bin/sh
                ann:x:1000:1000:::
                bob:x:1001:1001:::
                eve:x:1002:1001:::
                broken
                """.bytes)
        #expect(groups.isPrivate(0, to: 0))
        #expect(groups.isPrivate(1000, to: 1000))
        #expect(groups.isPrivate(61, to: 1000))
        #expect(!groups.isPrivate(61, to: 0), "ann is another than root")
        #expect(groups.isPrivate(50, to: 0), "nobody is in it")
        #expect(!groups.isPrivate(60, to: 1000))
        #expect(!groups.isPrivate(1001, to: 1001), "eve's primary group is bob's")
        #expect(!groups.isPrivate(70, to: 0))
        #expect(!groups.isPrivate(80, to: 1000))
        #expect(!groups.isPrivate(12345, to: 1000), "not in the file")
    }

    @Test("files are read byte by byte, whatever their names and comments are encoded in")
    func encodings() {
        // A combining mark in front of eve's name, which a reader takes for one with the colon.
        let combining = PrivateGroups(
            group: "ann:x:1000:\n".bytes,
            passwd: "ann:x:1000:1000:::\neve:x:1002:1000:\u{301}Eve:/:/bin/sh\n".bytes)
        #expect(!combining.isPrivate(1000, to: 1000))
        // Two names in Latin-1, which would be one when they are repaired.
        let latin = PrivateGroups(
            group: "g:x:1000:".bytes + [0xE9, 0x0A], passwd: [0xE8] + ":x:1000:1000:::\n".bytes)
        #expect(!latin.isPrivate(1000, to: 1000))
    }
}

extension String {
    fileprivate var bytes: [UInt8] { Array(utf8) }
}
