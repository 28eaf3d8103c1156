// SPDX-License-Identifier: Apache-2.0

/// The words of a signature, one after the other.
struct CallSignatureWords {
    struct Word {
        let text: String
        let offset: Int
    }

    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    // MARK: Words

    private mutating func skipSpaces() {
        while place < bytes.count, bytes[place] == UInt8(ascii: " ") { place += 1 }
    }

    /// A name, or a single other character; nil at the end.
    private mutating func word() -> Word? {
        skipSpaces()
        guard place < bytes.count else { return nil }
        let start = place
        func isName(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_")
        }
        while place < bytes.count, isName(bytes[place]) { place += 1 }
        if place == start {
            repeat { place += 1 } while place < bytes.count && bytes[place] & 0xC0 == 0x80
        }
        return Word(text: String(decoding: bytes[start..<place], as: UTF8.self), offset: start)
    }

    mutating func next(_ expected: String) throws(CallSignature.Fault) -> Word {
        guard let word = word() else {
            throw fault("expected \(expected), found the end", help: Self.example)
        }
        return word
    }

    mutating func skip(_ text: String) -> Bool {
        let start = place
        if let word = word(), word.text == text { return true }
        place = start
        return false
    }

    mutating func expect(_ text: String, after what: String) throws(CallSignature.Fault) {
        let start = place
        guard let word = word() else {
            throw fault("expected `\(text)` after \(what), found the end", help: Self.example)
        }
        guard word.text != text else { return }
        place = start
        skipSpaces()
        if word.text == "*" {
            throw fault(
                "pointers are not written with `*`", width: 1,
                help: "write text for a C string, bytes for other memory, out int64 for a place"
                    + " the function writes to, buffer for memory it fills")
        }
        throw fault(
            "expected `\(text)` after \(what), found `\(word.text)`",
            width: word.text.unicodeScalars.count, help: Self.example)
    }

    mutating func expectEnd() throws(CallSignature.Fault) {
        skipSpaces()
        guard place < bytes.count else { return }
        throw fault(
            "something follows the closing bracket", width: bytes.count - place,
            help: Self.example)
    }

    mutating func parameter() throws(CallSignature.Fault) -> CallParameter {
        let word = try next("a type")
        switch word.text {
        case "buffer": return .buffer
        case "out":
            let target = try next("a type after `out`")
            guard let type = CallType(rawValue: target.text), type != .void, type != .bytes else {
                throw unknown(target, asResult: false)
            }
            return .out(type)
        default:
            guard let type = CallType(rawValue: word.text), type != .void else {
                throw unknown(word, asResult: false)
            }
            return .value(type)
        }
    }

    // MARK: Faults

    private static let example = "write it as \"int32 (text, uint64)\""

    func fault(_ message: String, width: Int = 1, help: String) -> CallSignature.Fault {
        CallSignature.Fault(
            offset: min(place, max(0, bytes.count - 1)), width: width, message: message, help: help)
    }

    /// Names of types in C and in other languages.
    private static let meant: [String: String] = [
        "char": "int8, or text for char *", "short": "int16", "int": "int32",
        "unsigned": "uint32", "signed": "int32", "long": "int64", "size_t": "uint64",
        "ssize_t": "int64", "uint": "uint32", "ulong": "uint64", "off_t": "int64",
        "time_t": "int64", "string": "text", "utf8": "text", "data": "bytes", "pointer": "bytes",
        "boolean": "bool", "Bool": "bool", "_Bool": "bool", "float32": "float",
        "float64": "double", "int8_t": "int8", "int16_t": "int16", "int32_t": "int32",
        "int64_t": "int64", "uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32",
        "uint64_t": "uint64", "byte": "uint8", "uLong": "uint64", "uInt": "uint32",
    ]

    func unknown(_ word: Word, asResult: Bool) -> CallSignature.Fault {
        let width = word.text.unicodeScalars.count
        func fault(_ message: String, _ help: String, variadic: Bool = false)
            -> CallSignature.Fault
        {
            CallSignature.Fault(
                offset: word.offset, width: width, message: message, help: help,
                isVariadic: variadic)
        }
        let word = word.text
        let names = CallType.allCases.filter { asResult ? $0 != .bytes : $0 != .void }
            .map(\.rawValue)
        let list = (names + (asResult ? [] : ["out …", "buffer"])).joined(separator: ", ")
        if word == "." {
            return fault(
                "a variable number of arguments cannot be passed",
                "write a function of your own with a fixed number of them, and call that",
                variadic: true)
        }
        if word == "struct" || word == "union" {
            return fault(
                "a \(word) cannot be passed by value",
                "write a function of your own that takes its parts, and call that")
        }
        if asResult, word == "bytes" || word == "buffer" || word == "out" {
            return fault(
                "`\(word)` is no result", "write text for a C string, or let it write to a buffer")
        }
        if !asResult, word == "void" {
            return fault("`void` is no parameter", "write () where there is none")
        }
        if word == "const" { return fault("there is no `const`", "leave it out") }
        if let meant = Self.meant[word] {
            return fault("`\(word)` is not a type here", "write \(meant)")
        }
        return fault(
            "`\(word)` is not a type",
            ManifestSpelling.nearest(to: word, among: names).map { "write \($0)" }
                ?? "write one of \(list)")
    }
}
