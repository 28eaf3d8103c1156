// SPDX-License-Identifier: Apache-2.0

/// Reads a property list, in XML or in the binary form, as strictly as Apple's own tools write them.
enum PropertyListReader {
    /// The largest list that is read, in bytes.
    static var sizeLimit: Int { 256 * 1024 }
    /// The maximum nesting of arrays and dictionaries.
    static var depthLimit: Int { 32 }
    /// The maximum number of reported faults of one list.
    static var faultLimit: Int { 100 }

    /// Reads the one value of a list, and notes all faults it meets.
    ///
    /// The value is nil where the reading broke off; without a fault there is one.
    static func read(
        _ source: DiagnosticSource
    ) -> (value: PropertyListValue?, faults: [Diagnostic]) {
        let bytes = source.bytes
        guard bytes.count <= sizeLimit else {
            return refusal(
                source, .size, "the file has more than \(sizeLimit) bytes",
                help: "keep the file within \(sizeLimit / 1024) KiB")
        }
        if bytes.starts(with: PropertyListBinaryReader.magic) {
            return PropertyListBinaryReader.read(source)
        }
        if bytes.starts(with: "bplist".utf8) {
            return refusal(
                source, .format, "the file is a binary property list of an unknown version",
                help: "convert it: plutil -convert xml1 FILE")
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
            || bytes.starts(with: [0xEF, 0xBB, 0xBF])
        {
            return refusal(
                source, .encoding, "the file begins with a byte order mark",
                help: "save it as UTF-8 without a byte order mark")
        }
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard first == UInt8(ascii: "<") else {
            return refusal(
                source, .format,
                first == nil
                    ? "the file is empty" : "the file is neither an XML nor a binary property list",
                help: "write one that begins with <?xml version=\"1.0\" encoding=\"UTF-8\"?>, or"
                    + " convert it: plutil -convert xml1 FILE")
        }
        return PropertyListXMLReader.read(source)
    }

    private static func refusal(
        _ source: DiagnosticSource, _ rule: PropertyListRule, _ message: String, help: String
    ) -> (value: PropertyListValue?, faults: [Diagnostic]) {
        (nil, [source.diagnostic(rule: rule.rawValue, message: message, help: help)])
    }
}
