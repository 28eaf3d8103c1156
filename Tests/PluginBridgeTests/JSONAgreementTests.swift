// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import PluginBridge

/// The reader against Python's json module, which shares nothing with it.
@Suite("The JSON reader and Python's")
struct JSONAgreementTests {
    private static let count = 20_000

    @Test("20,000 documents have the same values at the same places, or are refused by both")
    func reference() throws {
        let documents = try documents()
        let input = documents.map(Self.hexadecimal).joined(separator: "\n")
        let run = try ChildProcess.run("python3", ["-c", Self.script], input: input)
        try #require(run.succeeded, "\(run)")
        let theirs = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(theirs.count == Self.count + 1)
        var accepted = 0
        var differing: [String] = []
        for (bytes, their) in zip(documents, theirs) {
            let our = Self.transcript(bytes)
            if our != "refused" { accepted += 1 }
            if our != their {
                differing.append("\(String(decoding: bytes, as: UTF8.self)): \(our), not \(their)")
            }
        }
        #expect(differing.isEmpty, "\(differing.count): \(differing.prefix(5))")
        #expect((Self.count / 5..<Self.count * 4 / 5).contains(accepted), "\(accepted)")
    }

    /// Generated documents, every second of them changed in a few places; those of the fuzzer's
    /// corpus, changed, are every tenth.
    private func documents() throws -> [[UInt8]] {
        var generator = SeededGenerator(seed: 8_259)
        let corpus = try Corpus("manifest").files.map(\.bytes).filter { $0.count < 2_048 }
        let dictionary =
            [
                "{", "}", "[", "]", "\"", ",", ":", "\\u", "\\uD83D", "\\uDE00", "null", "true",
                "1e400",
                "-", "0", "\0", "\n", "é", "NaN", " ", "\t", "//", "\u{FEFF}", "\u{2028}",
            ].map { Array($0.utf8) } + [[0xFF], [0xED, 0xA0, 0x80], [0xF4, 0x90], [0xC0, 0x80]]
        return (0..<Self.count).map { number in
            if number.isMultiple(of: 10) {
                return generator.mutate(
                    corpus.randomElement(using: &generator)!, dictionary: dictionary)
            }
            let document = Array(value(0, &generator).utf8)
            return number.isMultiple(of: 2)
                ? generator.mutate(document, dictionary: dictionary) : document
        }
    }

    private func value(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        let texts = [
            "", "a", "é\u{1F600}", "\\\"", "\\u00e9", "\\uD83D\\uDE00", "\\n", "\u{7F}", "e\u{301}",
            "\\uD83D", "\\/", "ключ",
        ]
        let numbers = [
            "0", "-0", "12", "-7.50", "1e2", "2E-1", "1e400", "18446744073709551616", "01",
        ]
        let spaces = ["", "", " ", "\n", "\r\n\t"]
        func space() -> String { spaces.randomElement(using: &generator)! }
        let text: String
        switch Int.random(in: 0..<(depth > 3 ? 5 : 8), using: &generator) {
        case 0, 1: text = "\"\(texts.randomElement(using: &generator)!)\""
        case 2, 3: text = numbers.randomElement(using: &generator)!
        case 4: text = ["true", "false", "null"].randomElement(using: &generator)!
        case 5, 6:
            let count = Int.random(in: 0..<5, using: &generator)
            text =
                "[" + (0..<count).map { _ in value(depth + 1, &generator) }.joined(separator: ",")
                + "]"
        default:
            let members = (0..<Int.random(in: 0..<4, using: &generator)).map { number in
                "\"\(number)\(texts.randomElement(using: &generator)!)\"" + space() + ":"
                    + value(depth + 1, &generator)
            }
            text = "{" + space() + members.joined(separator: ",") + "}"
        }
        return space() + text + space()
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Every value with its place, in the order of the text.
    private static func transcript(_ bytes: [UInt8]) -> String {
        guard let value = try? JSONReader.read(bytes, file: "a.json") else { return "refused" }
        var words: [String] = []
        add(value, to: &words)
        return words.joined(separator: " ")
    }

    private static func add(_ value: JSONValue, to words: inout [String]) {
        let place = value.position
        var children: [JSONValue] = []
        let text: String
        switch value.kind {
        case .object(let members):
            text = "{" + members.map { hexadecimal(Array($0.key.utf8)) }.joined(separator: ",")
            children = members.map(\.value)
        case .array(let elements):
            text = "[\(elements.count)"
            children = elements
        case .string(let string): text = "\"" + hexadecimal(Array(string.utf8))
        case .number(let number): text = number.literal
        case .bool(let flag): text = "\(flag)"
        case .null: text = "null"
        case .unreadable: text = "unreadable"
        }
        words.append("\(place.offset):\(place.line):\(place.column):\(text)")
        for child in children { add(child, to: &words) }
    }

    /// Refuses what RFC 8259 leaves open and the reader refuses: a key that stands twice, half of a
    /// surrogate pair, NaN and Infinity, deep nesting.
    private static let script = #"""
        import json, json.decoder, json.scanner, sys

        LIMIT = 32

        class Number(str):
            def __new__(cls, text):
                if not text.isascii(): raise ValueError(text)
                return super().__new__(cls, text)

        class Pairs(list): pass

        def refuse(word): raise ValueError(word)

        def pairs(members):
            if len({key for key, _ in members}) < len(members): raise ValueError("twice")
            return Pairs(members)

        seen, depth = [], 0

        def scan(text, index):
            global depth
            slot = len(seen)
            seen.append(None)
            opens = text[index:index + 1] in ("{", "[")
            depth += opens
            if depth > LIMIT: raise ValueError("deep")
            value, end = inner(text, index)
            depth -= opens
            seen[slot] = index, value
            return value, end

        decoder = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=refuse,
                                   object_pairs_hook=pairs)
        decoder.parse_object = lambda start, strict, once, *rest: \
            json.decoder.JSONObject(start, strict, scan, *rest)
        decoder.parse_array = lambda start, once: json.decoder.JSONArray(start, scan)
        inner = json.scanner.py_make_scanner(decoder)
        space = json.decoder.WHITESPACE

        def word(value):
            if isinstance(value, Pairs):
                return "{" + ",".join(key.encode().hex() for key, _ in value)
            if isinstance(value, list): return f"[{len(value)}"
            if isinstance(value, Number): return value
            if isinstance(value, str): return '"' + value.encode().hex()
            return {True: "true", False: "false", None: "null"}[value]

        def transcript(data):
            global depth
            seen.clear()
            depth = 0
            try:
                text = data.decode()
                _, end = scan(text, space.match(text, 0).end())
                if space.match(text, end).end() != len(text): return "refused"
                words = []
                for index, value in seen:
                    before = text[:index]
                    words.append(f"{len(before.encode())}:{before.count(chr(10)) + 1}:"
                                 f"{index - before.rfind(chr(10))}:{word(value)}")
                return " ".join(words)
            except (ValueError, StopIteration):
                return "refused"

        for line in sys.stdin.read().split("\n"):
            print(transcript(bytes.fromhex(line)))
        """#
}
