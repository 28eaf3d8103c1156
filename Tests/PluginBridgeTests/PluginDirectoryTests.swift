// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PluginBridge

@Suite("The way to a plugin's directory")
struct PluginDirectoryTests {
    private let files: TemporaryDirectory

    init() throws {
        files = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: files.path("a/b"), withIntermediateDirectories: true)
    }

    /// Who the tests run as, and anybody; nobody is alone in a group.
    private func trust(user: UInt32 = geteuid()) -> FileTrust {
        FileTrust(user: user, outsiders: nil, isPrivate: { _, _ in false })
    }

    private func open(_ path: String) throws -> PluginDirectory {
        try PluginDirectory(path, trust: trust())
    }

    private func refusal(_ path: String) -> BridgeError? {
        do throws(BridgeError) {
            _ = try PluginDirectory(path, trust: trust())
            return nil
        } catch {
            return error
        }
    }

    /// The directory of the tests, as the walk calls it.
    private var root: String { get throws { try open(files.path("a/..")).path } }

    @Test("dots, slashes and links lead to the same place")
    func sameplace() throws {
        try files.link("relative", to: "a/b")
        try files.link("absolute", to: files.path("a"))
        try files.link("a/up", to: "../a//./b/")
        let expected = try root + "/a/b"
        for way in [
            "a/b", "a/b/", "a//b/.", "a/b/../../a/b", "relative", "absolute/b", "absolute/up",
            "absolute/../relative/", "a/up/../b",
        ] {
            #expect(try open(files.path(way)).path == expected, "\(way)")
        }
        #expect(try open("/..").path == "/")
        #expect(try open("//../").path == "/")
    }

    @Test("a relative path is one of the working directory")
    func relative() throws {
        #expect(try open(".").path == FileManager.default.currentDirectoryPath)
    }

    @Test("what is no directory is refused, with its name and the system's words")
    func noDirectory() throws {
        try files.write("text", to: "file")
        try files.link("loop", to: "loop")
        try files.link("dangling", to: "nothing")
        for (way, words) in [
            ("nothing", "/nothing: No such file"), ("file", "/file: Not a directory"),
            ("file/below", "/file: Not a directory"), ("loop", "/loop: Too many levels"),
            ("dangling", "/nothing: No such file"),
        ] {
            let refusal = try #require(self.refusal(files.path(way)), "\(way)")
            #expect(refusal.rule == "load-open")
            #expect(refusal.status == .refused)
            #expect(refusal.message.contains(words), "\(refusal.message)")
        }
        for path in ["", "/a\u{0}b", "/" + String(repeating: "a/", count: 3_000)] {
            #expect(refusal(path)?.rule == "load-open")
        }
    }

    @Test("links that lead to links are followed forty times")
    func manyLinks() throws {
        try files.link("link0", to: "a")
        for index in 1...41 { try files.link("link\(index)", to: "link\(index - 1)") }
        #expect(refusal(files.path("link39")) == nil)
        #expect(refusal(files.path("link40"))?.message.contains("Too many levels") == true)
        // Each of them doubles what is to be walked.
        try files.link("grow0", to: ".")
        for index in 1...30 {
            try files.link("grow\(index)", to: "grow\(index - 1)/grow\(index - 1)")
        }
        #expect(refusal(files.path("grow30"))?.rule == "load-open")
    }

    @Test("every component that others can change is named, with its command")
    func components() throws {
        let root = try root
        for (name, mode) in [("a", 0o777), ("a/b", 0o775)] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: files.path(name))
        }
        let refusal = try #require(self.refusal(files.path("a/b")))
        #expect(refusal.rule == "load-writable")
        #expect(refusal.message.contains("\(root)/a can be changed by everyone (mode 0777, "))
        #expect(refusal.message.contains("chmod go-w \(root)/a;"))
        #expect(refusal.message.hasSuffix("chmod g-w \(root)/a/b"))
        // Also where only a link leads through it.
        try files.link("through", to: "a/../way")
        try FileManager.default.createDirectory(
            atPath: files.path("way"), withIntermediateDirectories: true)
        #expect(self.refusal(files.path("through"))?.message.contains("\(root)/a can be") == true)
        #expect(self.refusal(files.path("way")) == nil)
    }

    @Test("a path is checked as strictly when it is written plainly", arguments: [1, 8, 15, 30])
    func deep(levels: Int) throws {
        let below = (0..<levels).map { "d\($0)" }.joined(separator: "/")
        try FileManager.default.createDirectory(
            atPath: files.path(below), withIntermediateDirectories: true)
        let plain = try root + "/" + below
        #expect(try open(plain).path == plain)
        #expect(try open(plain).given == plain)
        #expect(try open(plain).has("."))
        // Any of them in its turn.
        for level in 0..<levels {
            let name = (0...level).map { "d\($0)" }.joined(separator: "/")
            let path = try root + "/" + name
            for (mode, rule) in [
                (0o757, "load-writable"), (0o775, "load-writable"),
                (0o1777, level == levels - 1 ? "load-writable" : nil),
            ] as [(Int, String?)] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: path)
                #expect(refusal(plain)?.rule == rule, "\(name), \(mode)")
                #expect(rule == nil || refusal(plain)!.message.contains(path + " can be"))
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        #expect(refusal(plain) == nil)
    }

    @Test("a name may begin with points")
    func points() throws {
        for name in [".a", "..a", "...", "a.", "a.."] {
            try FileManager.default.createDirectory(
                atPath: files.path(name), withIntermediateDirectories: true)
            #expect(try open(root + "/" + name).path == root + "/" + name)
        }
    }

    @Test("a directory that is sticky and open to all is passed, and is no plugin's")
    func sticky() throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o1777], ofItemAtPath: files.path("a"))
        #expect(refusal(files.path("a/b")) == nil)
        #expect(refusal(files.path("a"))?.rule == "load-writable")
    }

    @Test("another user's directory and link are refused", .enabled(if: geteuid() == 0))
    func owners() throws {
        try files.link("others", to: "a/b")
        try #require(lchown(files.path("others"), 12345, 12345) == 0)
        let refusal = try #require(self.refusal(files.path("others")))
        #expect(refusal.rule == "load-owner")
        #expect(refusal.message.hasSuffix("chown -h 0 \(try root)/others"))
        #expect(self.refusal(files.path("a/b")) == nil)
        try #require(chown(files.path("a"), 12345, 12345) == 0)
        #expect(self.refusal(files.path("a/b"))?.rule == "load-owner")
        // Where everything is root's or the user's own, that user may load it.
        try #require(chown(files.path(""), 12345, 12345) == 0)
        #expect((try? PluginDirectory(files.path("a/b"), trust: trust(user: 12345))) != nil)
    }

    @Test("files are plain names of regular files")
    func names() throws {
        try files.write("text", to: "a/file")
        try files.write("text", to: "outside")
        try files.link("a/link", to: "file")
        try files.link("a/out", to: "../outside")
        try files.makePipe("a/pipe")
        let folder = try open(files.path("a"))
        #expect((try? folder.file("file")) != nil)
        for (name, rule) in [
            ("link", "load-file"), ("out", "load-file"), ("pipe", "load-file"), ("b", "load-file"),
            ("../outside", "load-file"), ("/etc/passwd", "load-file"), ("b/../file", "load-file"),
            ("", "load-file"), ("fi\u{0}le", "load-file"), ("none", "load-open"),
            ("..", "load-file"),
        ] {
            do throws(BridgeError) {
                _ = try folder.file(name)
                Issue.record("\(name) was opened")
            } catch {
                #expect(error.rule == rule, "\(name): \(error)")
            }
        }
        // What becomes of the path does not matter any more.
        try FileManager.default.moveItem(atPath: files.path("a"), toPath: files.path("moved"))
        #expect((try? folder.file("file")) != nil)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: files.path("moved/file"))
        #expect((try? folder.file("file")) == nil)
    }

    @Test("the group's bits stand for everyone in an access control list")
    func accessList() throws {
        let path = files.path("a")
        // One entry for user 12345, who may write: setfacl -m u:12345:rwx.
        let list: [UInt8] =
            [2, 0, 0, 0] + entry(1, 7) + entry(2, 7, 12345) + entry(4, 5) + entry(16, 7)
            + entry(32, 5)
        // Swift's Glibc does not have it.
        typealias SetAttribute =
            @convention(c) (
                UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32
            ) -> Int32
        let setAttribute = unsafeBitCast(dlsym(nil, "setxattr"), to: SetAttribute.self)
        guard setAttribute(path, "system.posix_acl_access", list, list.count, 0) == 0 else {
            // A file system without such lists has nothing to show.
            #expect(errno == ENOTSUP)
            return
        }
        let alone = FileTrust(user: geteuid(), outsiders: nil, isPrivate: { _, _ in true })
        do throws(BridgeError) {
            _ = try PluginDirectory(path, trust: alone)
            Issue.record("opened")
        } catch {
            #expect(error.rule == "load-writable")
            #expect(error.message.contains("setfacl -b "))
        }
    }

    /// An entry of an access control list: tag, permissions, number.
    private func entry(_ tag: UInt8, _ permissions: UInt8, _ number: UInt32 = .max) -> [UInt8] {
        [tag, 0, permissions, 0] + withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
