// SPDX-License-Identifier: Apache-2.0

/// The facts about a library's file that are shown to people. Nothing is loaded, and nothing is
/// trusted.
package struct ELFSummary: Sendable {
    /// The processor it was built for: `x86-64`, or `machine 99`.
    package let machine: String
    /// The libraries it wants the loader to load, in its order.
    package let needed: [String]
    /// The number of exported symbols; nil if the tables do not tell.
    package let exports: Int?
    /// Code of Swift's is in it: the image must stay mapped.
    package let isSwift: Bool
    /// In lower-case hexadecimal digits; nil where libcrypto is not there or the file is too large.
    package let sha256: String?

    // Limits, far beyond any real library.
    static var nameLimit: Int { 4_096 }
    static var neededLimit: Int { 256 }
    static var sectionLimit: Int { 4_096 }
    static var sectionNamesLimit: Int { 1 << 20 }
    static var digestLimit: UInt64 { 1 << 28 }

    package static func read(path: String) -> Result<ELFSummary, ABINoteFault> {
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
        exports = try ELFSymbolTable(entries, wanted: false, in: library).map { table in
            (0..<table.count).count { table.isExported($0) }
        }
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
    private static var textTag: UInt64 { 5 }
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
