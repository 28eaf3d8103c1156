// SPDX-License-Identifier: Apache-2.0
package import PluginBridge

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
        needed = try ELFDependencies(library).needed
        let symbols = try ELFSymbolTable(try ELFEntries(library), wanted: false, in: library)
        exports = symbols.map { table in (0..<table.count).count { table.isExported($0) } }
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
