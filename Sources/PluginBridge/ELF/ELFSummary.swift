// SPDX-License-Identifier: Apache-2.0

/// What the file of a library says of it, for people: nothing is loaded, nothing is trusted.
public struct ELFSummary: Sendable {
    /// The processor it was built for: `x86-64`, or `machine 99`.
    public let machine: String
    /// The libraries it wants the loader to load, in its order.
    public let needed: [String]
    /// How many symbols it offers to others; nil where its tables do not tell.
    public let exports: Int?
    /// Code of Swift's is in it: the image must stay mapped.
    public let isSwift: Bool
    /// In lower-case hexadecimal digits; nil where libcrypto is not there or the file is too large.
    public let sha256: String?

    // Limits, far beyond any real library.
    static var nameLimit: Int { 4_096 }
    static var neededLimit: Int { 256 }
    static var symbolLimit: UInt64 { 1 << 18 }
    static var sectionLimit: Int { 4_096 }
    static var sectionNamesLimit: Int { 1 << 20 }
    static var digestLimit: UInt64 { 1 << 28 }

    public static func read(path: String) -> Result<ELFSummary, ABINoteFault> {
        do throws(ABINoteFault) {
            return .success(try ELFSummary(try ELFSharedObject(path: path)))
        } catch {
            return .failure(error)
        }
    }

    private init(_ library: borrowing ELFSharedObject) throws(ABINoteFault) {
        let header = ABINoteWords(try library.file.bytes(at: 0, count: 64))
        machine = ELFSummary.name(ofMachine: header.half(at: 18))
        let entries = try ELFExport.dynamicEntries(of: library)
        needed = try ELFSummary.needed(entries, in: library)
        exports = try ELFSummary.exports(entries, in: library)
        isSwift =
            needed.contains { $0.hasPrefix("libswift") }
            || ELFSummary.hasSwiftSections(header, in: library)
        if library.file.size <= ELFSummary.digestLimit {
            let bytes = try library.file.bytes(at: 0, count: Int(library.file.size))
            sha256 = bytes.withUnsafeBytes { try? LibraryDigest.sha256($0) }
        } else {
            sha256 = nil
        }
    }

    // Tags of dynamic entries and sizes of the ELF specification.
    private static var neededTag: UInt64 { 1 }
    private static var hashTag: UInt64 { 4 }
    private static var textTag: UInt64 { 5 }
    private static var symbolTag: UInt64 { 6 }
    private static var gnuHashTag: UInt64 { 0x6FFF_FEF5 }
    private static var symbolSize: UInt64 { 24 }
    private static var sectionHeaderSize: Int { 64 }

    private static func name(ofMachine number: UInt16) -> String {
        switch number {
        case 21: "ppc64le"
        case 62: "x86-64"
        case 183: "aarch64"
        case 243: "riscv64"
        default: "machine \(number)"
        }
    }

    private static func value(
        _ tag: UInt64, _ entries: [(tag: UInt64, value: UInt64)]
    ) -> UInt64? {
        entries.last { $0.tag == tag }?.value
    }

    private static func needed(
        _ entries: [(tag: UInt64, value: UInt64)], in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> [String] {
        guard let texts = value(textTag, entries) else { return [] }
        var names: [String] = []
        for entry in entries where entry.tag == neededTag {
            guard names.count < neededLimit else {
                throw .malformed("it needs more than \(neededLimit) libraries")
            }
            let (address, overflow) = texts.addingReportingOverflow(entry.value)
            guard !overflow else { throw .malformed("it points past its own end") }
            names.append(try text(atAddress: address, in: library))
        }
        return names
    }

    /// Reads up to a NUL, in pieces: what follows a short name may not be in the file.
    private static func text(
        atAddress address: UInt64, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> String {
        var bytes: [UInt8] = []
        while bytes.count < nameLimit {
            let (place, overflow) = address.addingReportingOverflow(UInt64(bytes.count))
            guard !overflow else { break }
            let byte = try library.bytes(atAddress: place, count: 1)[0]
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        throw .malformed("a name in it does not end")
    }

    // MARK: Symbols

    private static func exports(
        _ entries: [(tag: UInt64, value: UInt64)], in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> Int? {
        guard let table = value(symbolTag, entries) else { return nil }
        let count: UInt64
        if let hash = value(hashTag, entries) {
            count = UInt64(try word(hash, 4, in: library))
        } else if let hash = value(gnuHashTag, entries) {
            count = try gnuCount(hash, in: library)
        } else {
            return nil
        }
        guard count <= symbolLimit else {
            throw .malformed("it has \(count) symbols, the limit is \(symbolLimit)")
        }
        guard count > 0 else { return 0 }
        let symbols = ABINoteWords(
            try library.bytes(atAddress: table, count: Int(count * symbolSize)))
        return (0..<Int(count)).count { index in
            let start = index * Int(symbolSize)
            let binding = symbols.byte(at: start + 4) >> 4
            let visibility = symbols.byte(at: start + 5) & 3
            // STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE; STV_DEFAULT, STV_PROTECTED; defined here.
            return [1, 2, 10].contains(binding) && [0, 3].contains(visibility)
                && symbols.half(at: start + 6) != 0
        }
    }

    /// DT_GNU_HASH does not say how many symbols there are: the last chain ends with the last one.
    private static func gnuCount(
        _ table: UInt64, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> UInt64 {
        let header = ABINoteWords(try library.bytes(atAddress: table, count: 16))
        let (buckets, first) = (UInt64(header.word(at: 0)), UInt64(header.word(at: 4)))
        guard buckets <= symbolLimit else {
            throw .malformed("it has \(buckets) places for symbols, the limit is \(symbolLimit)")
        }
        guard buckets > 0 else { return first }
        let start = 16 + UInt64(header.word(at: 8)) * 8
        let heads = ABINoteWords(
            try library.bytes(
                atAddress: try sum(table, start), count: Int(buckets) * 4))
        var last = (0..<Int(buckets)).map { UInt64(heads.word(at: $0 * 4)) }.max() ?? 0
        guard last >= first, last > 0 else { return first }
        while last < symbolLimit {
            let entry = try word(table, start + buckets * 4 + (last - first) * 4, in: library)
            last += 1
            if entry & 1 == 1 { return last }
        }
        throw .malformed("its symbols are not sorted into their table")
    }

    private static func word(
        _ base: UInt64, _ offset: UInt64, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> UInt32 {
        ABINoteWords(try library.bytes(atAddress: try sum(base, offset), count: 4)).word(at: 0)
    }

    private static func sum(_ base: UInt64, _ offset: UInt64) throws(ABINoteFault) -> UInt64 {
        let (sum, overflow) = base.addingReportingOverflow(offset)
        guard !overflow else { throw .malformed("it points past its own end") }
        return sum
    }

    // MARK: Swift

    /// Sections named `swift5_…` survive stripping, and are there with the runtime inside as well.
    /// Where the headers of sections are missing or lie there are none.
    private static func hasSwiftSections(
        _ header: ABINoteWords, in library: borrowing ELFSharedObject
    ) -> Bool {
        let count = Int(header.half(at: 60))
        let names = Int(header.half(at: 62))
        guard Int(header.half(at: 58)) == sectionHeaderSize, names < count, count <= sectionLimit,
            let bytes = try? library.file.bytes(
                at: header.long(at: 40), count: count * sectionHeaderSize)
        else { return false }
        let sections = ABINoteWords(bytes)
        let place = sections.long(at: names * sectionHeaderSize + 24)
        let size = sections.long(at: names * sectionHeaderSize + 32)
        guard size <= UInt64(sectionNamesLimit),
            let texts = try? library.file.bytes(at: place, count: Int(size))
        else { return false }
        let mark = Array("swift5_".utf8)
        return (0..<count).contains { index in
            let name = Int(sections.word(at: index * sectionHeaderSize))
            return name < texts.count && texts[name...].starts(with: mark)
        }
    }
}
