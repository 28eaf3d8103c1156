// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// The dynamic symbols of a library, exported and imported, read from its file.
struct ELFSymbolTable {
    private let symbols: ABINoteWords
    let count: Int

    // Limits, far beyond any real library.
    static var symbolLimit: UInt64 { 1 << 18 }
    static var relocationBytesLimit: UInt64 { 1 << 25 }
    static var nameLimit: Int { 4_096 }
    /// The limit of bytes of all names in the file, and of all returned names: symbols may share a
    /// name.
    static var namesLimit: UInt64 { 1 << 24 }

    private static var symbolSize: UInt64 { 24 }
    private static var relocationSize: Int { 24 }

    /// Reads the symbols its hash table counts; nil where it has no symbols, or no such table.
    ///
    /// - Parameter wanted: those that only its relocations name are read as well. A table of the GNU
    ///   kind counts the symbols that are offered, and does without a count where there are none.
    init?(
        _ entries: ELFEntries, wanted: Bool, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) {
        guard let table = entries[.symbols] else { return nil }
        var number: UInt64
        if let hash = entries[.hash] {
            number = UInt64(try Self.word(hash, 4, in: library))
        } else if let hash = entries[.gnuHash] {
            number = try Self.gnuCount(hash, in: library)
        } else if wanted {
            number = 0
        } else {
            return nil
        }
        if wanted {
            let lists = [
                (entries[.relocations], entries[.relocationsSize]),
                (entries[.callRelocations], entries[.callRelocationsSize]),
            ]
            for case (let list?, let size?) in lists {
                number = max(number, try Self.relocatedCount(list, size, in: library))
            }
        }
        guard number <= Self.symbolLimit else {
            throw .malformed("it has \(number) symbols, the limit is \(Self.symbolLimit)")
        }
        count = Int(number)
        symbols = ABINoteWords(
            count == 0
                ? [] : try library.bytes(atAddress: table, count: count * Int(Self.symbolSize)))
    }

    /// Whether others find it: defined here, and neither local nor hidden.
    func isExported(_ index: Int) -> Bool {
        // STV_DEFAULT, STV_PROTECTED
        isGlobal(index) && [0, 3].contains(symbols.byte(at: start(index) + 5) & 3)
            && symbols.half(at: start(index) + 6) != 0
    }

    /// Whether another library has to have it, or, where it is weak, may.
    func isImported(_ index: Int) -> Bool {
        isGlobal(index) && symbols.half(at: start(index) + 6) == 0
    }

    func isWeak(_ index: Int) -> Bool { binding(index) == 2 }

    /// STB_WEAK, STB_GNU_UNIQUE
    func isShared(_ index: Int) -> Bool { [2, 10].contains(binding(index)) }

    /// The names of those symbols, in the order of the table.
    func names(
        of indexes: [Int], _ entries: ELFEntries, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> [String] {
        guard !indexes.isEmpty else { return [] }
        guard let place = entries[.texts], let size = entries[.textsSize] else {
            throw .malformed("its symbols have no names")
        }
        guard size <= Self.namesLimit else {
            throw .malformed(
                "it has \(size) bytes of names, the limit is \(Self.namesLimit)")
        }
        let texts = try library.bytes(atAddress: place, count: Int(size))
        var names: [String] = []
        var total = 0
        for index in indexes {
            let start = Int(symbols.word(at: start(index)))
            guard start < texts.count else { throw .malformed("it points past its own end") }
            let rest = texts[start...].prefix(Self.nameLimit)
            guard let end = rest.firstIndex(of: 0) else {
                throw .malformed("a name in it does not end")
            }
            total += end - start
            guard total <= Int(Self.namesLimit) else {
                throw .malformed("its symbols have more than \(Self.namesLimit) bytes of names")
            }
            names.append(String(decoding: texts[start..<end], as: UTF8.self))
        }
        return names
    }

    private func start(_ index: Int) -> Int { index * Int(Self.symbolSize) }

    private func binding(_ index: Int) -> UInt8 { symbols.byte(at: start(index) + 4) >> 4 }

    /// STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE
    private func isGlobal(_ index: Int) -> Bool { [1, 2, 10].contains(binding(index)) }

    // MARK: How many

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

    /// Returns one more than the highest symbol that a list of relocations names.
    private static func relocatedCount(
        _ list: UInt64, _ size: UInt64, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> UInt64 {
        guard size <= relocationBytesLimit else {
            throw .malformed(
                "it has \(size) bytes of relocations, the limit is \(relocationBytesLimit)")
        }
        let words = ABINoteWords(try library.bytes(atAddress: list, count: Int(size)))
        var highest: UInt32 = 0
        for start in stride(from: 0, through: words.count - relocationSize, by: relocationSize) {
            // The upper half of r_info.
            highest = max(highest, words.word(at: start + 12))
        }
        return UInt64(highest) + 1
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
}
