// SPDX-License-Identifier: Apache-2.0

/// The kind of symbol that a library exports under a name, read from its file.
///
/// The name is looked up as dlsym(3) does: through the hash table of the dynamic symbols.
package enum ELFExport: Hashable, Sendable {
    case function
    /// Something that cannot be called.
    case data
    /// Not there, or only wanted from another library.
    case missing

    /// The maximum length of a hash chain.
    package static var chainLimit: Int { 4_096 }

    package static func find(_ name: String, in path: String) -> Result<ELFExport, ABINoteFault> {
        do throws(ABINoteFault) {
            return .success(try find(Array(name.utf8), in: try ELFSharedObject(path: path)))
        } catch {
            return .failure(error)
        }
    }

    /// Finds the export in a file in memory, which must stay there during the call.
    static func find(
        _ name: String, in bytes: UnsafeRawBufferPointer
    ) -> Result<ELFExport, ABINoteFault> {
        do throws(ABINoteFault) {
            return .success(try find(Array(name.utf8), in: try ELFSharedObject(bytes)))
        } catch {
            return .failure(error)
        }
    }

    private static var symbolSize: Int { 24 }

    private static func find(
        _ name: [UInt8], in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> ELFExport {
        let entries = try ELFEntries(library)
        // Without one of them the loader finds nothing either.
        guard let symbols = entries[.symbols], let texts = entries[.texts],
            let textSize = entries[.textsSize]
        else { return .missing }
        let candidates =
            if let table = entries[.gnuHash] {
                try gnuCandidates(name, table, in: library)
            } else if let table = entries[.hash] {
                try candidates(name, table, in: library)
            } else {
                [UInt64]()
            }
        for index in candidates {
            let symbol = ABINoteWords(
                try library.bytes(
                    atAddress: try address(symbols, index, of: symbolSize), count: symbolSize))
            let text = UInt64(symbol.word(at: 0))
            guard text < textSize, UInt64(name.count) < textSize - text,
                try library.bytes(atAddress: try address(texts, text, of: 1), count: name.count + 1)
                    == name + [0],
                let export = export(symbol, in: library)
            else { continue }
            return export
        }
        return .missing
    }

    /// Returns the kind of a symbol with the right name; nil if the loader would skip it.
    private static func export(
        _ symbol: ABINoteWords, in library: borrowing ELFSharedObject
    ) -> ELFExport? {
        let binding = symbol.byte(at: 4) >> 4
        let isDefined = symbol.half(at: 6) != 0
        // STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE
        guard isDefined, [1, 2, 10].contains(binding) else { return nil }
        switch symbol.byte(at: 4) & 0xF {
        // STT_NOTYPE, which assemblers leave; STT_FUNC; STT_GNU_IFUNC
        case 0, 2, 10: return library.isCode(symbol.long(at: 8)) ? .function : .data
        default: return .data
        }
    }

    /// The symbols that DT_GNU_HASH has for a name's hash. The filter in front of its table only
    /// saves the loader time.
    private static func gnuCandidates(
        _ name: [UInt8], _ table: UInt64, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> [UInt64] {
        let header = ABINoteWords(try library.bytes(atAddress: table, count: 16))
        let bucketCount = header.word(at: 0)
        let firstSymbol = UInt64(header.word(at: 4))
        guard bucketCount > 0 else { return [] }
        let hash = name.reduce(UInt32(5_381)) { $0 &* 33 &+ UInt32($1) }
        let buckets = try address(table, 16 + UInt64(header.word(at: 8)) * 8, of: 1)
        let chains = try address(buckets, UInt64(bucketCount), of: 4)
        var index = UInt64(
            try word(try address(buckets, UInt64(hash % bucketCount), of: 4), in: library))
        guard index >= firstSymbol, index > 0 else { return [] }
        var found: [UInt64] = []
        for _ in 0..<chainLimit {
            let entry = try word(try address(chains, index - firstSymbol, of: 4), in: library)
            // The lowest bit says that the chain ends.
            if entry | 1 == hash | 1 { found.append(index) }
            if entry & 1 == 1 { return found }
            index += 1
        }
        throw .malformed("its symbols are not sorted into their table")
    }

    /// The symbols that DT_HASH has for a name's hash.
    private static func candidates(
        _ name: [UInt8], _ table: UInt64, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> [UInt64] {
        let bucketCount = try word(table, in: library)
        guard bucketCount > 0 else { return [] }
        let hash = name.reduce(UInt32(0)) { hash, byte in
            let sum = hash << 4 &+ UInt32(byte)
            let high = sum & 0xF000_0000
            return (sum ^ high >> 24) & ~high
        }
        let buckets = try address(table, 8, of: 1)
        let chains = try address(buckets, UInt64(bucketCount), of: 4)
        var index = try word(try address(buckets, UInt64(hash % bucketCount), of: 4), in: library)
        var found: [UInt64] = []
        while index != 0 {
            guard found.count < chainLimit else {
                throw .malformed("its symbols are not sorted into their table")
            }
            found.append(UInt64(index))
            index = try word(try address(chains, UInt64(index), of: 4), in: library)
        }
        return found
    }

    private static func word(
        _ address: UInt64, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> UInt32 {
        ABINoteWords(try library.bytes(atAddress: address, count: 4)).word(at: 0)
    }

    /// `index` is the place of something in a file, hence below 2^36.
    private static func address(
        _ base: UInt64, _ index: UInt64, of size: Int
    ) throws(ABINoteFault) -> UInt64 {
        let (sum, overflow) = base.addingReportingOverflow(index * UInt64(size))
        guard !overflow else { throw .malformed("it points past its own end") }
        return sum
    }
}
