// SPDX-License-Identifier: Apache-2.0

/// Reads the binary form of property lists, version 00: objects, a table of their offsets, and a
/// trailer of 32 bytes that says where all that is. Numbers have their highest byte first.
///
/// Objects may be shared, so that a few bytes can stand for a tree of any size. Each object is
/// therefore read once; one that contains itself is refused, and so are objects that overlap. What
/// is read is thus never more than the file.
struct PropertyListBinaryReader {
    static let magic = Array("bplist00".utf8)
    private static let trailerSize = 32

    private enum State {
        case unread
        case reading
        /// With how many levels of arrays and dictionaries it has.
        case read(PropertyListValue, height: Int)
    }

    private let source: DiagnosticSource
    private var faults: [Diagnostic] = []
    private var states: [State] = []
    private var offsetSize = 0
    private var referenceSize = 0
    /// The offset of the table, where the objects end.
    private var table = 0
    /// The number of bytes of the objects that were read.
    private var taken = 0

    private var bytes: [UInt8] { source.bytes }

    static func read(
        _ source: DiagnosticSource
    ) -> (value: PropertyListValue?, faults: [Diagnostic]) {
        var reader = PropertyListBinaryReader(source)
        do throws(Diagnostic) {
            let top = try reader.trailer()
            let value = try reader.object(top, from: source.bytes.count - 8 * 2, depth: 0).value
            return (value, reader.faults)
        } catch {
            return (nil, reader.faults + [error])
        }
    }

    private init(_ source: DiagnosticSource) {
        self.source = source
    }

    /// Reads the trailer and returns the number of the top object.
    private mutating func trailer() throws(Diagnostic) -> Int {
        let bytes = bytes
        let start = bytes.count - Self.trailerSize
        guard start > Self.magic.count else {
            throw fault(
                .unfinished, at: bytes.count, "the file ends before its trailer",
                help: "copy it again; it may have been cut off")
        }
        // Five bytes of nothing and one of what sorts keys are not looked at.
        offsetSize = Int(bytes[start + 6])
        referenceSize = Int(bytes[start + 7])
        for (size, place, name) in [
            (offsetSize, start + 6, "offsets"), (referenceSize, start + 7, "references"),
        ] where !(1...8).contains(size) {
            throw fault(
                .trailer, at: place, "\(name) have \(size) bytes, expected 1 to 8", help: Self.again
            )
        }
        guard let count = number(at: start + 8, size: 8), count > 0, count <= start else {
            throw fault(
                .trailer, at: start + 8, "the number of objects cannot be", help: Self.again)
        }
        guard let top = number(at: start + 16, size: 8), top < count else {
            throw fault(
                .trailer, at: start + 16, "the top object is none of the \(count)",
                help: Self.again)
        }
        guard let table = number(at: start + 24, size: 8), table > Self.magic.count,
            table <= start, start - table == count * offsetSize
        else {
            throw fault(
                .trailer, at: start + 24,
                "the table of offsets does not reach from its place to the trailer",
                help: Self.again)
        }
        self.table = table
        states = Array(repeating: .unread, count: count)
        return top
    }

    // MARK: Objects

    /// Reads the object of a number. `place` is the position of the number.
    private mutating func object(
        _ index: Int, from place: Int, depth: Int
    ) throws(Diagnostic) -> (value: PropertyListValue, height: Int) {
        guard index < states.count else {
            throw fault(
                .object, at: place, "refers to object \(index) of \(states.count)",
                help: Self.again)
        }
        switch states[index] {
        case .read(let value, let height):
            guard depth + height <= PropertyListReader.depthLimit else { throw tooDeep(at: place) }
            return (value, height)
        case .reading:
            throw fault(
                .cycle, at: place, "object \(index) contains itself",
                help: "write the list again; no property list needs that")
        case .unread: break
        }
        let entry = table + index * offsetSize
        guard let offset = number(at: entry, size: offsetSize),
            (Self.magic.count..<table).contains(offset)
        else {
            throw fault(
                .object, at: entry, "object \(index) lies outside of the objects", help: Self.again)
        }
        states[index] = .reading
        let (kind, height) = try content(at: offset, depth: depth)
        let value = PropertyListValue(kind: kind, place: .byte(offset))
        states[index] = .read(value, height: height)
        return (value, height)
    }

    private mutating func content(
        at offset: Int, depth: Int
    ) throws(Diagnostic) -> (PropertyListValue.Kind, height: Int) {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker {
        case 0x08: return (.other("false"), 0)
        case 0x09: return (.other("true"), 0)
        case 0x10...0x14:
            _ = try span(at: offset + 1, count: 1, each: 1 << low, of: offset)
            return (.other("a number"), 0)
        case 0x22, 0x23:
            _ = try span(at: offset + 1, count: 1, each: 1 << low, of: offset)
            return (.other("a number"), 0)
        case 0x33:
            _ = try span(at: offset + 1, count: 1, each: 8, of: offset)
            return (.other("a date"), 0)
        case 0x40...0x4F:
            let (start, count) = try length(at: offset)
            _ = try span(at: start, count: count, each: 1, of: offset)
            return (.other("data"), 0)
        case 0x50...0x5F: return (.string(try ascii(at: offset)), 0)
        case 0x60...0x6F: return (.string(try utf16(at: offset)), 0)
        case 0x80...0x87:
            _ = try span(at: offset + 1, count: 1, each: low + 1, of: offset)
            return (.other("a UID"), 0)
        case 0xA0...0xAF:
            let (start, count) = try length(at: offset)
            let (elements, height) = try objects(at: start, count, of: offset, depth: depth)
            return (.array(elements), height)
        case 0xC0...0xCF:
            let (start, count) = try length(at: offset)
            return (
                .other("a set"), try objects(at: start, count, of: offset, depth: depth).height
            )
        case 0xD0...0xDF: return try dictionary(at: offset, depth: depth)
        default:
            throw fault(
                .object, at: offset, "the marker \(marker) begins no object", help: Self.again)
        }
    }

    /// Reads objects whose numbers stand one after another.
    private mutating func objects(
        at start: Int, _ count: Int, of offset: Int, depth: Int
    ) throws(Diagnostic) -> (values: [PropertyListValue], height: Int) {
        guard depth < PropertyListReader.depthLimit else { throw tooDeep(at: offset) }
        let span = try span(at: start, count: count, each: referenceSize, of: offset)
        var values: [PropertyListValue] = []
        var height = 1
        for place in stride(from: span.lowerBound, to: span.upperBound, by: referenceSize) {
            let index = number(at: place, size: referenceSize) ?? .max
            let (value, below) = try object(index, from: place, depth: depth + 1)
            values.append(value)
            height = max(height, below + 1)
        }
        return (values, height)
    }

    private mutating func dictionary(
        at offset: Int, depth: Int
    ) throws(Diagnostic) -> (PropertyListValue.Kind, height: Int) {
        let (start, count) = try length(at: offset)
        let (all, height) = try objects(at: start, 2 * count, of: offset, depth: depth)
        var members: [PropertyListMember] = []
        // Keyed by bytes: comparing text by canonical equivalence can be made very slow.
        var seen: Set<[UInt8]> = []
        for (key, value) in zip(all.prefix(count), all.dropFirst(count)) {
            guard case .string(let name) = key.kind else {
                throw source.diagnostic(
                    at: key.place, rule: PropertyListRule.object.rawValue,
                    message: "a key must be text, found \(key.noun)", help: Self.again)
            }
            if seen.insert(Array(name.utf8)).inserted {
                members.append(PropertyListMember(key: name, value: value))
            } else {
                try note(
                    fault(
                        .duplicateKey, at: offset,
                        "the key \(DiagnosticText.quoted(name)) stands twice in the dictionary",
                        help: "keep one of the two"))
            }
        }
        return (.dictionary(members), height)
    }

    // MARK: Text

    private mutating func ascii(at offset: Int) throws(Diagnostic) -> String {
        let (start, count) = try length(at: offset)
        let text = bytes[try span(at: start, count: count, each: 1, of: offset)]
        if let place = text.firstIndex(where: { $0 > 0x7F }) {
            throw fault(
                .encoding, at: place, "a text of ASCII has the byte \(bytes[place])",
                help: Self.again)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func utf16(at offset: Int) throws(Diagnostic) -> String {
        let (start, count) = try length(at: offset)
        let span = try span(at: start, count: count, each: 2, of: offset)
        let units = stride(from: span.lowerBound, to: span.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw fault(
                .encoding, at: start, "a text has half of a surrogate pair without the other half",
                help: Self.again)
        }
        return text
    }

    // MARK: Numbers

    /// Reads how many elements an object has, and where they begin.
    private mutating func length(at offset: Int) throws(Diagnostic) -> (start: Int, count: Int) {
        let low = Int(bytes[offset] & 0x0F)
        guard low == 0x0F else { return (offset + 1, low) }
        let place = offset + 1
        guard place < table, bytes[place] & 0xF0 == 0x10, bytes[place] & 0x0F <= 3 else {
            throw fault(.object, at: offset, "an object has no length", help: Self.again)
        }
        let size = 1 << Int(bytes[place] & 0x0F)
        let digits = try span(at: place + 1, count: 1, each: size, of: offset)
        // A count beyond the file is refused when the bytes are read.
        let count = number(at: digits.lowerBound, size: size) ?? table
        return (digits.upperBound, min(count, table))
    }

    /// Returns the bytes of `count` elements, which must lie among the objects.
    private mutating func span(
        at start: Int, count: Int, each size: Int, of offset: Int
    ) throws(Diagnostic) -> Range<Int> {
        let room = table - start
        guard room >= 0, count >= 0, count <= room / size else {
            throw fault(
                .object, at: offset, "an object goes over the end of the objects", help: Self.again)
        }
        taken += count * size
        guard taken <= table else {
            throw fault(
                .object, at: offset, "an object overlaps with another one", help: Self.again)
        }
        return start..<(start + count * size)
    }

    /// Nil for what no `Int` can hold.
    private func number(at offset: Int, size: Int) -> Int? {
        var number: UInt64 = 0
        for byte in bytes[offset..<(offset + size)] { number = number << 8 | UInt64(byte) }
        return Int(exactly: number)
    }

    // MARK: Faults

    private static let again = "write the list again, or convert it: plutil -convert xml1 FILE"

    private func fault(
        _ rule: PropertyListRule, at offset: Int, _ message: String, help: String
    ) -> Diagnostic {
        source.diagnostic(
            at: .byte(offset), rule: rule.rawValue, message: message, help: help)
    }

    private func tooDeep(at offset: Int) -> Diagnostic {
        fault(
            .depth, at: offset, "nested more than \(PropertyListReader.depthLimit) levels deep",
            help: "use fewer levels of arrays and dictionaries")
    }

    /// Keeps a fault and lets the reader go on; the one that fills the list ends the reading.
    private mutating func note(_ fault: Diagnostic) throws(Diagnostic) {
        guard faults.count + 1 < PropertyListReader.faultLimit else { throw fault }
        faults.append(fault)
    }
}
