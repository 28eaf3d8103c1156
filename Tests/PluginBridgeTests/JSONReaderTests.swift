// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PluginBridge

@Suite("The JSON reader")
struct JSONReaderTests {
    static func read(_ text: String) throws -> JSONValue {
        try JSONReader.read(Array(text.utf8), file: "test.json")
    }

    static func fault(_ bytes: [UInt8]) -> Diagnostic? {
        do throws(Diagnostic) {
            _ = try JSONReader.read(bytes, file: "test.json")
            return nil
        } catch {
            return error
        }
    }

    @Test("reads every kind of value and keeps the order of members")
    func kinds() throws {
        let value = try Self.read(
            #" {"z": [1, -2.5e1, true, false, null, []], "a": {}, "": "text"} "#)
        guard case .object(let members) = value.kind else {
            Issue.record("not an object")
            return
        }
        #expect(members.map(\.key) == ["z", "a", ""])
        guard case .array(let elements) = members[0].value.kind else {
            Issue.record("not an array")
            return
        }
        #expect(
            elements.map(\.noun) == ["a number", "a number", "true", "false", "null", "an array"])
        #expect(members[1].value.kind == .object([]))
        #expect(members[2].value.kind == .string("text"))
    }

    @Test("counts lines and columns in characters and offsets in bytes")
    func positions() throws {
        let value = try Self.read("{\r\n\t\"ключ\": \"😀\", \"k\":\n12}")
        guard case .object(let members) = value.kind else {
            Issue.record("not an object")
            return
        }
        #expect(value.position == .start)
        #expect(members[0].keyPosition == JSONPosition(line: 2, column: 2, offset: 4))
        #expect(members[0].keyWidth == 6)
        #expect(members[0].value.position == JSONPosition(line: 2, column: 10, offset: 16))
        #expect(members[0].value.width == 3)
        #expect(members[1].keyPosition == JSONPosition(line: 2, column: 15, offset: 24))
        #expect(members[1].value.position == JSONPosition(line: 3, column: 1, offset: 29))
        #expect(members[1].value.width == 2)
    }

    @Test(
        "decodes strings",
        arguments: [
            (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e9\u00E9\u0000""#, "éé\0"), (#""\uD83D\uDE00""#, "😀"),
            (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\uD800\uDC00\uFFFF""#, "\u{10000}\u{FFFF}"),
            ("\"\u{7F}é漢😀\"", "\u{7F}é漢😀"),
        ])
    func strings(_ text: String, _ expected: String) throws {
        guard case .string(let string) = try Self.read(text).kind else {
            Issue.record("not a string")
            return
        }
        #expect(Array(string.utf8) == Array(expected.utf8))
    }

    @Test(
        "keeps a number as it was written",
        arguments: [
            ("0", 0, 0), ("-0", 0, 0), ("12", 12, 12), ("-7", -7, -7), ("1.0", nil, 1),
            ("1e2", nil, 100), ("2E-1", nil, 0.2), ("1.5e+3", nil, 1500), ("1e400", nil, nil),
            ("9223372036854775807", 9_223_372_036_854_775_807, 9.223372036854775807e18),
            ("9223372036854775808", nil, 9.223372036854775808e18),
        ] as [(String, Int64?, Double?)])
    func numbers(_ text: String, _ integer: Int64?, _ double: Double?) throws {
        guard case .number(let number) = try Self.read(text).kind else {
            Issue.record("not a number")
            return
        }
        #expect(number.literal == text)
        #expect(number.integer == integer)
        #expect(number.double == double)
    }

    @Test(
        "refuses what is not JSON, and points at it",
        arguments: [
            ("  \n‸", .empty, "the file holds nothing but white space"),
            (#"{"a": 1‸,}"#, .trailingComma, "a comma after the last value"),
            ("[1‸,\n]", .trailingComma, "a comma after the last value"),
            ("[‸,]", .syntax, "expected a value, found `,`"),
            ("[1,‸,]", .syntax, "expected a value, found `,`"),
            ("[1 ‸2]", .syntax, "expected `,` or `]`, found `2`"),
            (#"{"a": 1 ‸"b": 2}"#, .syntax, #"expected `,` or `}`, found `"`"#),
            ("[1‸}", .syntax, "expected `,` or `]`, found `}`"),
            ("‸]", .syntax, "expected a value, found `]`"),
            (#"{"a" ‸1}"#, .syntax, "expected `:` after a key, found `1`"),
            (#"{"a":‸}"#, .syntax, "expected a value, found `}`"),
            ("{‸a: 1}", .syntax, "expected a key in double quotes, found `a`"),
            ("{‸'a': 1}", .syntax, "expected a key in double quotes, found `'`"),
            ("{‸1: 1}", .syntax, "expected a key in double quotes, found `1`"),
            ("{‸,}", .syntax, "expected a key in double quotes, found `,`"),
            ("‸'a'", .syntax, "expected a value, found `'`"),
            ("[‸é]", .syntax, "expected a value, found `é`"),
            ("‸True", .syntax, "`True` is not a word of JSON"),
            ("‸nil", .syntax, "`nil` is not a word of JSON"),
            ("‸truely", .syntax, "expected a value, found `truely`"),
            ("[1, ‸// one\n2]", .comment, "JSON has no comments"),
            ("‸/* one */ 2", .comment, "JSON has no comments"),
            ("1 ‸# one", .trailingText, "text after the end of the document"),
            ("{}\n ‸{}", .trailingText, "text after the end of the document"),
            ("{}‸\u{0}", .trailingText, "text after the end of the document"),
            ("‸01", .number, "a number begins with 0"),
            ("[‸-012]", .number, "a number begins with 0"),
            ("‸-", .number, "expected a digit after `-`, found the end of the file"),
            ("‸-x", .number, "expected a digit after `-`, found `x`"),
            ("‸-Infinity", .number, "expected a digit after `-`, found `Infinity`"),
            ("‸1.", .number, "expected a digit after `.`, found the end of the file"),
            ("[‸1.]", .number, "expected a digit after `.`, found `]`"),
            ("‸1.e3", .number, "expected a digit after `.`, found `e3`"),
            ("‸1e", .number, "expected a digit in the exponent, found the end of the file"),
            ("‸1e+\n", .number, "expected a digit in the exponent, found the end of the line"),
            ("0‸x10", .number, "a number continues with `x10`"),
            ("1‸_000", .number, "a number continues with `_000`"),
            ("1.2‸.3", .number, "a number continues with `.`"),
            ("‸.5", .syntax, "expected a value, found `.`"),
            ("‸+5", .syntax, "expected a value, found `+`"),
            ("‸NaN", .number, "`NaN` is not a number of JSON"),
            ("[‸Infinity]", .number, "`Infinity` is not a number of JSON"),
            ("[\n  ‸\"abc", .unfinished, "text without a closing quote"),
            ("\"a‸\nb\"", .controlCharacter, "text goes over the end of the line"),
            ("\"a‸\tb\"", .controlCharacter, "the control character 0x09 is in a text"),
            ("\"é‸\u{1F}\"", .controlCharacter, "the control character 0x1f is in a text"),
            ("\"‸\u{0}\"", .controlCharacter, "the control character 0x00 is in a text"),
            (#""a‸\x41""#, .escape, #"`\` before `x41` means nothing"#),
            (#""‸\'""#, .escape, #"`\` before `'` means nothing"#),
            (#""‸\u12G4""#, .escape, #"expected four hexadecimal digits after `\u`, found `G4`"#),
            (#""‸\u12""#, .escape, #"expected four hexadecimal digits after `\u`, found `"`"#),
            (#""‸\u+123""#, .escape, #"expected four hexadecimal digits after `\u`, found `+`"#),
            (#""‸\uD83D""#, .surrogate, "half of a surrogate pair without the other half"),
            (#""‸\uDE00""#, .surrogate, "half of a surrogate pair without the other half"),
            (#""‸\uD83D\n""#, .surrogate, "half of a surrogate pair without the other half"),
            (#""‸\uD83D\u0041""#, .surrogate, "half of a surrogate pair without the other half"),
            (#""‸\uD83D\uD83D""#, .surrogate, "half of a surrogate pair without the other half"),
            (#""‸\uDE00\uD83D""#, .surrogate, "half of a surrogate pair without the other half"),
            (
                #""\uD83D‸\u00""#, .escape,
                #"expected four hexadecimal digits after `\u`, found `"`"#
            ),
            (
                "{\"a\": 1,\n ‸\"a\": 2}", .duplicateKey,
                "the key `a` stands twice in one object; the first is at line 1, column 2"
            ),
            (
                "{\"a\": 1, ‸\"\\u0061\": 2}", .duplicateKey,
                "the key `a` stands twice in one object; the first is at line 1, column 2"
            ),
            ("[1, 2‸", .unfinished, "the file ends where `,` or `]` should be"),
            ("[‸", .unfinished, "the file ends where `]` should be"),
            ("[1,‸", .unfinished, "the file ends where `]` should be"),
            ("{‸", .unfinished, "the file ends where `}` should be"),
            (#"{"a"‸"#, .unfinished, "the file ends where `:` should be"),
            (#"{"a": ‸"#, .unfinished, "the file ends where a value should be"),
            (#""\‸"#, .unfinished, "the file ends where the rest of an escape should be"),
            (#""\u12‸"#, .unfinished, "the file ends where four hexadecimal digits should be"),
        ] as [(String, JSONRule, String)])
    func refusals(_ marked: String, _ rule: JSONRule, _ message: String) throws {
        let marked = MarkedText(marked)
        let fault = try #require(Self.fault(marked.bytes))
        // White space only is a fault of the whole text, which begins at its first character.
        let place = rule == .empty ? "1:1" : marked.places[0]
        #expect("\(fault.line):\(fault.column)" == place)
        #expect(fault.rule == rule.rawValue)
        #expect(fault.message == message)
        #expect(fault.file == "test.json")
        #expect(!fault.help.isEmpty)
    }

    @Test(
        "goes on after a fault that leaves no doubt about the rest",
        arguments: [
            (
                #"{"a": 1, ‸"a": 2 ‸"b": [3‸,]‸,} ‸// end"#,
                [.duplicateKey, .syntax, .trailingComma, .trailingComma, .comment]
            ),
            ("[‸01, ‸truely, 1‸_0, ‸-x, ‸NaN, 2]", [.number, .syntax, .number, .number, .number]),
            (
                "[‸/* a */ 1, ‸/ 2, \"‸\tb‸\\q‸\\uD800\\\"‸\\u12\", [1]‸[2] ‸{}]",
                [
                    .comment, .comment, .controlCharacter, .escape, .surrogate, .escape, .syntax,
                    .syntax,
                ]
            ),
            ("‸\u{FEFF}[1‸,]", [.byteOrderMark, .trailingComma]),
            ("[‸01, ‸}", [.number, .syntax]),
        ] as [(String, [JSONRule])])
    func goesOn(_ text: String, _ rules: [JSONRule]) throws {
        let marked = MarkedText(text)
        let (value, faults) = JSONReader.readAll(
            DiagnosticSource(file: "test.json", bytes: marked.bytes))
        // No editor counts a byte order mark.
        let places = text.contains("\u{FEFF}") ? ["1:1", "1:3"] : marked.places
        #expect(
            faults.map { "\($0.line):\($0.column)" }.sorted() == places.sorted(),
            "\(faults.map(\.message))")
        #expect(faults.sorted { $0.column < $1.column }.map(\.rule) == rules.map(\.rawValue))
        #expect((value == nil) == (text == "[‸01, ‸}"))
    }

    @Test("a text with very many faults is not read to its end")
    func boundedFaults() {
        let text = "[\(String(repeating: "01,", count: 50_000))1]"
        let (value, faults) = JSONReader.readAll(
            DiagnosticSource(file: "test.json", bytes: Array(text.utf8)))
        #expect(value == nil)
        #expect(faults.count == Manifest.faultLimit)
    }

    @Test(
        "refuses bytes that are not UTF-8 at their place",
        arguments: [
            ([0x80], 2), ([0xC0, 0xAF], 2), ([0xC1, 0xBF], 2), ([0xC3], 2),
            ([0xE0, 0x9F, 0xBF], 2),
            ([0xE2, 0x82], 2), ([0xED, 0xA0, 0x80], 2), ([0xF0, 0x8F, 0xBF, 0xBF], 2),
            ([0xF4, 0x90, 0x80, 0x80], 2), ([0xF5, 0x80, 0x80, 0x80], 2), ([0xFF], 2),
            ([0x61, 0x80], 3), ([0xC3, 0xA9, 0xFF], 3), ([0xF0, 0x9F, 0x98, 0x80, 0xBF], 3),
        ] as [([UInt8], Int)])
    func encoding(_ bytes: [UInt8], _ column: Int) throws {
        for ending in [[UInt8(ascii: "\"")], []] {
            let fault = try #require(Self.fault([UInt8(ascii: "\"")] + bytes + ending))
            #expect(fault.rule == JSONRule.encoding.rawValue)
            #expect(fault.column == column)
        }
    }

    @Test("accepts the first and the last character of every length")
    func encodingLimits() throws {
        for scalar: Unicode.Scalar in [
            "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}",
            "\u{10FFFF}",
        ] {
            #expect(try Self.read("\"\(scalar)\"").kind == .string(String(scalar)))
        }
    }

    @Test("a fault before the first bad byte is reported first")
    func earliestFaultWins() throws {
        let fault = try #require(Self.fault(Array("[1 2]".utf8) + [0xFF]))
        #expect(fault.rule == JSONRule.syntax.rawValue)
    }

    @Test("refuses an empty file, a byte order mark, and a file over the limit")
    func wholeFile() throws {
        let empty = try #require(Self.fault([]))
        #expect(empty.rule == JSONRule.empty.rawValue)
        #expect(empty.line == 0)
        let mark = try #require(Self.fault([0xEF, 0xBB, 0xBF, UInt8(ascii: "1")]))
        #expect(mark.rule == JSONRule.byteOrderMark.rawValue)
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: JSONReader.sizeLimit - 1)
        #expect(Self.fault(padding + [UInt8(ascii: "1")]) == nil)
        let large = try #require(Self.fault(padding + Array("11".utf8)))
        #expect(large.rule == JSONRule.size.rawValue)
        #expect(large.message == "the file has more than 262144 bytes")
    }

    @Test("nests to the limit and no deeper")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8
            )
        }
        #expect(Self.fault(nested(JSONReader.depthLimit)) == nil)
        let fault = try #require(Self.fault(nested(JSONReader.depthLimit + 1)))
        #expect(fault.rule == JSONRule.depth.rawValue)
        #expect(fault.column == 33)
        let objects = String(repeating: "{\"a\":", count: 100_00)
        #expect(Self.fault(Array(objects.utf8))?.rule == JSONRule.depth.rawValue)
        // Brothers do not add up.
        #expect(Self.fault(Array("[\(String(repeating: "[],", count: 100))[]]".utf8)) == nil)
    }

    @Test("keys that are merely equivalent are two keys")
    func equivalentKeys() throws {
        #expect(Self.fault(Array("{\"\u{E9}\": 1, \"e\u{301}\": 2}".utf8)) == nil)
    }

    @Test("a key stands once, however many there are", arguments: [1, 15, 16, 17, 40, 500])
    func manyKeys(count: Int) throws {
        let keys = (0..<count).map { "\"k\u{E9}\($0)\": \($0)" }
        guard case .object(let members) = try Self.read("{\(keys.joined(separator: ","))}").kind
        else {
            Issue.record("not an object")
            return
        }
        #expect(members.map(\.key) == (0..<count).map { "k\u{E9}\($0)" })
        for again in Set([0, count / 2, count - 1]) {
            let text = "{\(keys.joined(separator: ",\n")),\n\(keys[again]), \(keys[again])}"
            let (value, faults) = JSONReader.readAll(
                DiagnosticSource(file: "test.json", bytes: Array(text.utf8)))
            #expect(
                faults.map(\.rule) == Array(repeating: JSONRule.duplicateKey.rawValue, count: 2))
            #expect(
                faults.allSatisfy {
                    $0.message.hasSuffix("is at line \(again + 1), column \(again == 0 ? 2 : 1)")
                })
            guard case .object(let members) = value?.kind else {
                Issue.record("not an object")
                return
            }
            #expect(members.count == count)
        }
    }

    @Test("keys with an escape and without are the same key")
    func escapedKeys() throws {
        let fault = try #require(Self.fault(Array(#"{"ab": 1, "\u0061b": 2}"#.utf8)))
        #expect(fault.rule == JSONRule.duplicateKey.rawValue)
    }

    @Test("columns count on behind escapes, other alphabets and lines")
    func columns() throws {
        let text = "[\"\u{E9}\\n\u{1F600}x\\u00e9\", 1,\n \"\u{436}\", \"plain\", \"\\\\\", 2]"
        guard case .array(let elements) = try Self.read(text).kind else {
            Issue.record("not an array")
            return
        }
        #expect(elements[0].kind == .string("\u{E9}\n\u{1F600}x\u{E9}"))
        #expect(elements.map(\.position.line) == [1, 1, 2, 2, 2, 2])
        #expect(elements.map(\.position.column) == [2, 17, 2, 7, 16, 22])
        #expect(elements.map(\.width) == [13, 1, 3, 7, 4, 1])
        for element in elements {
            let byte = Array(text.utf8)[element.position.offset]
            #expect(byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "1") || byte == 0x32)
        }
    }

    @Test("a byte that is not UTF-8 is found wherever it stands", arguments: 0..<40)
    func encodingAnywhere(place: Int) throws {
        var bytes = Array("[\"\(String(repeating: "a", count: 40))\", 1, {}]".utf8)
        bytes[2 + place] = 0xFF
        #expect(Self.fault(bytes)?.column == 3 + place)
        bytes[2 + place] = 0xE2
        #expect(Self.fault(bytes)?.column == 3 + place)
        #expect(Self.fault(Array(bytes[...(2 + place)]))?.column == 3 + place)
    }

    @Test("halves of pairs are refused, one fault each")
    func halves() {
        for (text, count) in [
            (#"["\uD83D\uDE00"]"#, 0), (#"["\uD83D"]"#, 1), (#"["\uDE00\uD83D"]"#, 2),
            (#"["\uD83D\u0041"]"#, 1), (#"["\uD83D\n"]"#, 1), (#"["\uD83Dx\uDE00"]"#, 2),
        ] {
            let (_, faults) = JSONReader.readAll(
                DiagnosticSource(file: "test.json", bytes: Array(text.utf8)))
            #expect(
                faults.map(\.rule) == Array(repeating: "json-surrogate", count: count), "\(text)")
        }
    }
}
