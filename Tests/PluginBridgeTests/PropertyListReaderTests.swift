// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import PluginBridge

@Suite("The reader of property lists")
struct PropertyListReaderTests {
    private func read(_ bytes: [UInt8]) -> (value: PropertyListValue?, faults: [Diagnostic]) {
        PropertyListReader.read(DiagnosticSource(file: "test.plist", bytes: bytes))
    }

    /// The texts in a value, in order, keys among them.
    private func texts(_ value: PropertyListValue) -> [String] {
        switch value.kind {
        case .dictionary(let members): members.flatMap { [$0.key] + texts($0.value) }
        case .array(let elements): elements.flatMap(texts)
        case .string(let text): [text]
        case .other(let noun): ["(\(noun))"]
        }
    }

    /// The same of what Foundation has read; of dictionaries in the order of their keys.
    private func texts(_ value: Any) -> [String] {
        switch value {
        case let members as [String: Any]:
            members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .flatMap { [$0.key] + texts($0.value) }
        case let elements as [Any]: elements.flatMap { texts($0) }
        case let text as String: [text]
        default: ["(other)"]
        }
    }

    private func sorted(_ value: PropertyListValue) -> [String] {
        switch value.kind {
        case .dictionary(let members):
            members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .flatMap { [$0.key] + sorted($0.value) }
        case .array(let elements): elements.flatMap(sorted)
        case .string(let text): [text]
        case .other: ["(other)"]
        }
    }

    @Test("reads every element of XML, and text as it is meant")
    func elements() throws {
        let file = try #require(
            try Corpus("propertylist").files.first { $0.name == "valid-every-element.plist" })
        let (value, faults) = read(file.bytes)
        #expect(faults.isEmpty)
        let found = texts(try #require(value)).dropFirst(6)
        #expect(
            Array(found) == [
                "a & b", "<\u{1F600}&<&\"'>",
                "i", "(a number)", "u", "(a number)", "h", "(a number)", "r", "(a number)", "t",
                "(true)", "f", "(false)", "d", "(a date)", "b", "(data)", "n", "", "s", "",
            ])
    }

    @Test("ends of lines are one character, in text and in CDATA")
    func lines() throws {
        let text = "<plist><string>a\r\nb\rc\n<![CDATA[d\r\ne\rf]]></string></plist>"
        #expect(texts(try #require(read(Array(text.utf8)).value)) == ["a\nb\nc\nd\ne\nf"])
    }

    @Test("reads what Foundation writes, in both forms, and reads the same in it")
    func writtenByFoundation() throws {
        let list: [String: Any] = [
            "texts": ["", "a", "é\u{1F600}", String(repeating: "x", count: 300), "<&>\"'"],
            "numbers": [0, 255, 256, 65_536, -1, Int.max, Int.min, 1.5, true, false],
            "dates": [Date(timeIntervalSinceReferenceDate: 0)], "é": ["": Data([0, 1, 2])],
            "many": (0..<300).map { "t\($0)" }, "deep": [[[["a": [["b"]]]]]],
        ]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(
                fromPropertyList: list, format: format, options: 0)
            let (value, faults) = read([UInt8](data))
            #expect(faults.map(\.message) == [])
            #expect(sorted(try #require(value)) == texts(list))
        }
    }

    @Test("what is accepted after random changes, Foundation accepts too", arguments: 0..<4)
    func mutated(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let files = try Corpus("propertylist").files.filter(\.isValid)
        let words = [
            "<dict>", "</dict>", "<array/>", "<string>", "</string>", "<key>", "</key>", "&amp;",
            "&#38;", "<!--", "-->", "<![CDATA[", "]]>", "<true/>", "<data>", "\0", "\u{FFFF}",
        ].map { Array($0.utf8) }
        var accepted = 0
        for _ in 0..<2_000 {
            let file = files.randomElement(using: &generator)!
            let bytes = generator.mutate(
                file.bytes, dictionary: words + [[0xFF], [0xA1, 0], [0xD1]])
            let (value, faults) = read(bytes)
            guard faults.isEmpty else {
                #expect(faults.allSatisfy { !$0.rendered.isEmpty })
                continue
            }
            accepted += 1
            let ours = sorted(try #require(value))
            // Not all of Foundation's readers know UIDs, and a set of lists crashes one of them.
            let mayHaveSet =
                bytes.starts(with: Array("bplist".utf8))
                && bytes.contains { (0xC0...0xCF).contains($0) }
            if mayHaveSet || file.name == "valid-every-object.plist" { continue }
            do {
                let theirs = try PropertyListSerialization.propertyList(
                    from: Data(bytes), options: [], format: nil)
                // Foundation keeps a carriage return that XML makes a line feed.
                let isSame = zip(texts(theirs) + ["end"], ours + ["end"]).allSatisfy {
                    $0 == $1 || $0.replacing("\r", with: "\n") == $1
                }
                #expect(isSame, "\(theirs) is not \(ours)")
            } catch {
                Issue.record("\(error): \(String(decoding: bytes, as: UTF8.self))")
            }
        }
        #expect(accepted > 20)
    }

    @Test("nests to the limit and no deeper, in both forms")
    func depth() throws {
        let limit = PropertyListReader.depthLimit
        for levels in [limit, limit + 1] {
            let xml =
                "<plist>" + String(repeating: "<array>", count: levels)
                + String(repeating: "</array>", count: levels) + "</plist>"
            var list: [Any] = []
            for _ in 1..<levels { list = [list] }
            let binary = try PropertyListSerialization.data(
                fromPropertyList: list, format: .binary, options: 0)
            for bytes in [Array(xml.utf8), [UInt8](binary)] {
                let rules = read(bytes).faults.map(\.rule)
                #expect(rules == (levels == limit ? [] : ["plist-depth"]))
            }
        }
    }

    @Test("a shared object does not hide how deep the list is")
    func sharedDepth() {
        // Object 32 is empty; 0…31 hold the next one, and 0 holds 31 first.
        var objects: [[UInt8]] = [[0xA2, 31, 1]]
        for next in 2...32 { objects.append([0xA1, UInt8(next)]) }
        objects.append([0xA0])
        #expect(read(binary(objects)).faults.map(\.rule) == ["plist-depth"])
        objects[31] = [0xA0]
        #expect(read(binary(objects)).faults.map(\.rule) == [])
    }

    /// A binary list of these objects, the first one on top.
    private func binary(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = PropertyListBinaryReader.magic
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [objects.count, 0, table] {
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return bytes
    }

    @Test("a fault in a binary list names the byte")
    func bytes() {
        let fault = read(binary([[0xA1, 1], [0x51, 0xFF]])).faults.first
        #expect(fault?.message == "a text of ASCII has the byte 255, at byte 11")
        #expect(fault?.line == 0)
    }

    @Test("small files that would be large are refused or stay small", .timeLimit(.minutes(1)))
    func bombs() {
        // Two references to the next array, on 31 levels: 2^31 values.
        var objects: [[UInt8]] = []
        for next in 1...31 { objects.append([0xA2, UInt8(next), UInt8(next)]) }
        objects.append([0xA0])
        #expect(read(binary(objects)).faults.map(\.rule) == [])
        // Texts that lie in each other: 40,000 of 200 kB.
        let text: [UInt8] = [0x5F, 0x12, 0, 2, 0, 0]
        var bytes = PropertyListBinaryReader.magic + [0xAF, 0x12, 0, 0, 0x10, 0]
        for number in 1...4_096 { bytes += [UInt8(number >> 8), UInt8(number & 0xFF)] }
        var offsets = [8]
        for _ in 0..<4_096 {
            offsets.append(bytes.count)
            bytes += text
        }
        bytes += [UInt8](repeating: 0x41, count: 0x20000)
        let table = bytes.count
        for offset in offsets {
            bytes += [0, UInt8(offset >> 16), UInt8(offset >> 8 & 0xFF), UInt8(offset & 0xFF)]
        }
        bytes += [0, 0, 0, 0, 0, 0, 4, 2]
        for number in [offsets.count, 0, table] {
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        #expect(bytes.count < PropertyListReader.sizeLimit)
        let faults = read(bytes).faults
        #expect(faults.map(\.rule) == ["plist-object"])
        #expect(faults.first?.message.contains("overlaps") == true)
    }
}
