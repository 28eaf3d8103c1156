// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PluginBridge

@Suite("Where plugins are looked for")
struct PluginSearchPathTests {
    private func path(
        _ variables: [String: String], isTrusted: Bool = true, installed: String? = nil
    ) -> [String] {
        PluginSearchPath(
            environment: { variables[$0] }, isTrusted: isTrusted, installed: installed
        ).directories
    }

    private let machine = ["/usr/local/lib/curfew/plugins", "/usr/lib/curfew/plugins"]

    @Test("the user's own, those of the machine, those of the distribution")
    func usual() {
        let home = ["HOME": "/home/a"]
        #expect(path(home) == ["/home/a/.local/share/curfew/plugins"] + machine)
        #expect(
            path(["HOME": "/home/a", "XDG_DATA_HOME": "/data"]) == ["/data/curfew/plugins"]
                + machine)
        #expect(path([:]) == machine)
    }

    @Test("a place of the user's that is not absolute is none")
    func relative() {
        #expect(
            path(["HOME": "/home/a", "XDG_DATA_HOME": "data"])
                == ["/home/a/.local/share/curfew/plugins"] + machine)
        #expect(
            path(["HOME": "/home/a", "XDG_DATA_HOME": ""])
                == ["/home/a/.local/share/curfew/plugins"] + machine)
        #expect(path(["HOME": "", "XDG_DATA_HOME": "."]) == machine)
    }

    @Test("the variable takes the place of them all, unless it names nothing")
    func variable() {
        #expect(path(["HOME": "/a", "CURFEW_PLUGIN_PATH": "/x::y:/x"]) == ["/x", "y"])
        #expect(path(["CURFEW_PLUGIN_PATH": "::"]) == machine)
        #expect(path(["CURFEW_PLUGIN_PATH": ""]) == machine)
    }

    @Test("a process with more rights than its caller does not listen to the environment")
    func untrusted() {
        #expect(
            path(
                ["HOME": "/a", "XDG_DATA_HOME": "/b", "CURFEW_PLUGIN_PATH": "/x"], isTrusted: false)
                == machine)
    }

    @Test("where a program is installed comes after the machine's, once")
    func installed() {
        #expect(path([:], installed: "/opt/p") == [machine[0], "/opt/p", machine[1]])
        #expect(path([:], installed: machine[0]) == machine)
        #expect(path([:], installed: machine[1]) == machine)
        #expect(path(["CURFEW_PLUGIN_PATH": "/x"], installed: "/opt/p") == ["/x"])
    }

    @Test("a path is split byte by byte, and a name that is not UTF-8 is no other one's")
    func bytes() {
        // A reader takes a colon and the accent behind it for one character.
        #expect(path([PluginSearchPath.variable: "/a:\u{301}b"]) == ["/a", "\u{301}b"])
        #expect(path(["XDG_DATA_HOME": "/\u{301}a"]).first == "/\u{301}a/curfew/plugins")
        // One letter for a reader, two names for the kernel.
        #expect(path([PluginSearchPath.variable: "/\u{e9}:/e\u{301}"]).count == 2)
        func named(_ value: [UInt8]) -> [String] {
            PluginSearchPath(
                bytes: { $0 == PluginSearchPath.variable ? value : nil }, isTrusted: true,
                installed: nil
            )
            .directories
        }
        #expect(named(Array("/a:/b".utf8) + [0xFF]) == ["/a"])
        // It names something, so the usual places do not count.
        #expect(named(Array("/b".utf8) + [0xFF]) == [])
    }
}
