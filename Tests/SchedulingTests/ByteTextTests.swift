// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Scheduling

@Suite("Texts that others read byte by byte")
struct ByteTextTests {
    @Test("are split where the byte stands, whatever character it is part of")
    func parts() {
        #expect("/\u{301}a/b".parts(at: "/") == ["\u{301}a", "b"])
        #expect("/a//b/".parts(at: "/", omittingEmpty: false) == ["", "a", "", "b", ""])
        #expect("a\r\nb\n".parts(at: "\n") == ["a\r", "b"])
        #expect("pass \u{301}a b".parts(at: " ", maxSplits: 1) == ["pass", "\u{301}a b"])
        #expect("".parts(at: "/").isEmpty)
    }

    @Test("no source splits a path by characters, or repairs one")
    func sources() throws {
        let rules = [
            #"split(separator: "/""#, #"hasPrefix("/")"#, #"hasSuffix("/")"#, #"(of: "/")"#,
            #"contains("/")"#, "String(cString: getenv", "String(cString: realpath",
        ]
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        let files = try #require(
            FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var found: [String] = []
        // The loader's rules have tests of their own.
        let others = ["ELF", "Forms", "Loading"]
        for case let file as URL in files
        where file.pathExtension == "swift"
            && !others.contains(file.deletingLastPathComponent().lastPathComponent)
        {
            let lines = try String(contentsOf: file, encoding: .utf8).parts(at: "\n")
            found += lines.filter { line in rules.contains { line.contains($0) } }
                .map { "\(file.lastPathComponent): \($0)" }
        }
        #expect(found.isEmpty, "use `parts(at:)`, `begins(with:)` and the like: \(found)")
    }

    @Test("begin and end with bytes")
    func ends() {
        #expect("/\u{301}a".begins(with: "/"))
        #expect(!"\u{301}/".begins(with: "/"))
        #expect("\u{600}/".ends(with: "/"))
        #expect("/\u{301}".appending(component: "a") == "/\u{301}/a")
        #expect("a/".appending(component: "\u{301}").utf8.elementsEqual("a/\u{301}".utf8))
        // One text for Swift, two for others.
        #expect(!"\u{E9}x".begins(with: "e\u{301}"))
    }

    @Test("are cut between scalars", arguments: 0...9)
    func cut(limit: Int) {
        let text = "a\u{E9}e\u{301}\u{1F600}"
        let cut = text.cut(to: limit)
        #expect(cut.utf8.count <= limit && text.utf8.starts(with: cut.utf8))
        #expect(cut.utf8.count > limit - 4 || cut == text)
    }

    @Test("a reading keeps as much of its texts as can be told")
    func reading() {
        let long = String(repeating: "\u{E9}", count: 1_000)
        let reading = FactorReading(.no, source: long, detail: long)
        #expect(reading.source.utf8.count == 126)
        #expect(reading.detail.utf8.count == 254)
    }

    @Test("a cron expression has a limit, but for those that a store keeps")
    func cron() throws {
        let long = "0,".repeated(600) + "0 * * * *"
        let fault = #expect(throws: CronFault.self) { try CronSchedule(long) }
        #expect(fault?.message == "has \(long.utf8.count) bytes, and may have 1024")
        #expect(try CronSchedule(kept: long).text == long)
        let all = (0..<60).map(String.init).joined(separator: ",")
        #expect(throws: Never.self) { try CronSchedule("\(all) 0-23 * * *") }
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
