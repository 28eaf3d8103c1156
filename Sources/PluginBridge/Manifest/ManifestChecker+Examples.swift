// SPDX-License-Identifier: Apache-2.0

extension ManifestChecker {
    mutating func examples(_ value: JSONValue) -> [ManifestExample] {
        guard let elements = array(value, key: .examples) else { return [] }
        guard elements.count <= Manifest.exampleLimit else {
            fault(
                .example, at: value,
                "`examples` has \(elements.count) elements, the limit is \(Manifest.exampleLimit)",
                help: "keep the most telling ones")
            return []
        }
        return elements.compactMap { element in
            guard let fields = fields(of: .example, in: element) else { return nil }
            let name = fields[ManifestKey.exampleName.name].flatMap { exampleName($0) }
            let payload = fields[ManifestKey.payload.name].flatMap { text($0, key: .payload) }
            let expect = fields[ManifestKey.expect.name].map { expectation($0) }
            let files = fields[ManifestKey.files.name].map { self.files($0) }
            guard let name, let payload, let expect = expect ?? .success else { return nil }
            return ManifestExample(
                name: name, payload: payload, expect: expect, files: files ?? [])
        }
    }

    private mutating func exampleName(_ value: JSONValue) -> String? {
        guard let name = text(value, key: .exampleName) else { return nil }
        guard (1...Manifest.exampleNameLimit).contains(name.utf8.count) else {
            fault(
                .example, at: value, "the name of an example has \(name.utf8.count) bytes",
                help: "write a name of 1 to \(Manifest.exampleNameLimit) bytes")
            return nil
        }
        return name
    }

    private mutating func expectation(_ value: JSONValue) -> ManifestExpectation? {
        let names = ManifestExpectation.allCases.map(\.rawValue)
        return word(value, key: .expect, rule: .example, among: names)
            .flatMap { ManifestExpectation(rawValue: $0) }
    }

    // MARK: Files

    private mutating func files(_ value: JSONValue) -> [ManifestExampleFile] {
        guard let members = members(value, key: .files) else { return [] }
        guard members.count <= Manifest.exampleFileLimit else {
            fault(
                .example, at: value,
                "`files` has \(members.count) members, the limit is \(Manifest.exampleFileLimit)",
                help: "keep those that the handler looks at")
            return []
        }
        let files = members.compactMap { member -> ManifestExampleFile? in
            let isPath = self.isPath(member)
            guard let content = fileContent(member), isPath else { return nil }
            return ManifestExampleFile(path: member.key, content)
        }
        checkDirectories(of: members)
        return files
    }

    /// Notes what keeps the key of a file from being a path below a directory.
    private mutating func isPath(_ member: JSONMember) -> Bool {
        let bytes = member.key.utf8
        if Self.isPlainPath(bytes) { return true }
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let shown = DiagnosticText.quoted(member.key)
        let problem: String
        if bytes.isEmpty {
            problem = "the path of a file is empty"
        } else if bytes.count > Manifest.exampleFilePathLimit {
            problem =
                "the path of a file has \(bytes.count) bytes, the limit is"
                + " \(Manifest.exampleFilePathLimit)"
        } else if bytes.contains(0) {
            problem = "\(shown) has a zero byte in it"
        } else if bytes.first == UInt8(ascii: "/") {
            problem = "\(shown) is an absolute path"
        } else if parts.contains(where: \.isEmpty) {
            problem = "\(shown) has an empty part"
        } else if parts.contains(where: {
            $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
        }) {
            problem = "\(shown) has a part that is `.` or `..`"
        } else {
            return true
        }
        fault(
            .example, at: member.keyPosition, width: member.keyWidth, problem,
            help: "write a path below the example's directory, as \"in/a.txt\"")
        return false
    }

    /// True only for what nothing is wrong with: letters, digits, `_` and `-` in parts, each of which
    /// may have points in it but does not begin with one.
    private static func isPlainPath(_ bytes: String.UTF8View) -> Bool {
        guard bytes.count <= Manifest.exampleFilePathLimit else { return false }
        var isFirst = true
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                isFirst = false
            case UInt8(ascii: "."), UInt8(ascii: "/"):
                if isFirst { return false }
                isFirst = byte == UInt8(ascii: "/")
            default: return false
            }
        }
        return !isFirst
    }

    private mutating func fileContent(_ member: JSONMember) -> ManifestExampleFile.Content? {
        switch member.value.kind {
        case .string(let text): return fileText(text, member).map { .text($0) }
        case .object: return fileSize(member.value).map { .zeros($0) }
        case .unreadable: return nil
        default:
            fault(
                .type, at: member.value,
                "a file of an example must be text or an object, found \(member.value.noun)",
                help: "write \(ManifestKey.files.usage), or { \(ManifestKey.bytes.usage) } for a"
                    + " large one")
            return nil
        }
    }

    private mutating func fileSize(_ value: JSONValue) -> UInt64? {
        guard let fields = fields(of: .exampleFile, in: value),
            let bytes = fields[ManifestKey.bytes.name],
            let number = integer(bytes, key: .bytes)
        else { return nil }
        guard let size = UInt64(exactly: number), size <= Manifest.exampleFileBytesLimit else {
            fault(
                .example, at: bytes, "`bytes` is \(Self.literal(bytes))",
                help: "write a number from 0 to \(Manifest.exampleFileBytesLimit)")
            return nil
        }
        return size
    }

    private mutating func fileText(_ text: String, _ member: JSONMember) -> String? {
        let count = text.utf8.count
        guard count <= Manifest.exampleFileTextLimit else {
            fault(
                .example, at: member.value,
                "the text of a file has \(count) bytes, the limit is"
                    + " \(Manifest.exampleFileTextLimit)",
                help: "let the example do with less, or write { \(ManifestKey.bytes.usage) } for"
                    + " a file of zeros")
            return nil
        }
        return text
    }

    /// No file can be made below another. The paths are few and short.
    private mutating func checkDirectories(of members: [JSONMember]) {
        for member in members {
            guard member.key.utf8.contains(0x2F) else { continue }
            let above = members.first {
                !$0.key.isEmpty && $0.key.utf8.count < member.key.utf8.count
                    && member.key.utf8.starts(with: Array($0.key.utf8) + [0x2F])
            }
            guard let above else { continue }
            fault(
                .example, at: member.keyPosition, width: member.keyWidth,
                "\(DiagnosticText.quoted(member.key)) lies below"
                    + " \(DiagnosticText.quoted(above.key)), which is a file",
                help: "give one of the two another name")
        }
    }
}
