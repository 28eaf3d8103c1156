// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The rules that a shared object must keep so that loading it cannot end the process, up to the
/// first instruction of its own code.
///
/// glibc's loader trusts a library: it hardly compares the file's values with the size of the file
/// or with the mapped memory, and asserts some of them, which ends the process. Each rule here
/// covers a value that `_dl_map_object_from_fd`, `_dl_check_map_versions`, `_dl_relocate_object`,
/// `do_lookup_x` or `_dl_init` of glibc 2.36 would use unchecked.
package struct ELFSoundness {
    /// Why the rules cannot tell whether the library is sound: there is something in it of which they
    /// know nothing. Nil where they can.
    package private(set) var doubt: String?

    let layout: ELFLayout
    let dynamic: ELFDynamic
    /// Ends with a NUL.
    let texts: ELFWords
    /// From the first one to the end of the segment.
    let symbols: ELFWords
    /// The number of symbols that the hash tables reach; relocations may name further ones.
    private(set) var symbolCount = 0
    /// The versions of symbols, to the end of the segment; nil where they have none.
    private(set) var versions: ELFWords?
    private(set) var highestVersion = 0
    /// The libraries of which it wants versions.
    private(set) var versioned: Set<[UInt8]> = []
    /// Whether all its relocations are of types that are known.
    private var knowsRelocations = true
    /// The tables that the loader reads on while it writes relocations, as far as it can write there.
    private(set) var tables: [Range<UInt64>] = []
    /// All tables, which are in the code segment if the linker put them there (`-z
    /// noseparate-code`).
    private var data: [Range<UInt64>] = []

    static var symbolSize: Int { 24 }

    /// Checks a file that is in memory, and stays there meanwhile.
    package init(_ bytes: UnsafeRawBufferPointer) throws(ABINoteFault) {
        try self.init(bytes, page: UInt64(sysconf(Int32(_SC_PAGESIZE))))
    }

    init(_ bytes: UnsafeRawBufferPointer, page: UInt64) throws(ABINoteFault) {
        let library = try ELFSharedObject(bytes)
        layout = try ELFLayout(library, bytes, page: page)
        dynamic = try ELFDynamic(layout.dynamic)
        guard let texts = dynamic[.texts], let size = dynamic[.textsSize], size > 0,
            let symbols = dynamic[.symbols]
        else { throw .malformed("it has no table of symbols or of their names") }
        self.texts = try layout.bytes(at: texts, count: size, of: "the table of names")
        guard self.texts.byte(at: self.texts.count - 1) == 0 else {
            throw .malformed("the last name of its table has no end")
        }
        self.symbols = try layout.bytes(from: symbols, of: "the table of symbols")
        guard dynamic[.symbolSize] ?? UInt64(Self.symbolSize) == UInt64(Self.symbolSize) else {
            throw .malformed("its symbols have the wrong size")
        }
        if let tag = dynamic.unknownTag {
            doubt = "the dynamic entry 0x\(String(tag, radix: 16)) is not known"
        }
        try checkNames()
        symbolCount = try countSymbols()
        guard symbolCount <= self.symbols.count / Self.symbolSize else {
            throw .malformed("its table of symbols is cut")
        }
        try checkVersions()
        guardTable(texts, size)
        guardTable(symbols, UInt64(symbolCount * Self.symbolSize))
        guardTable(layout.dynamicAddress, UInt64(layout.dynamic.count))
        noteRelocations()
        try checkSymbols()
        var lists = try CallLists(self)
        try checkRelocations(&lists)
        if knowsRelocations { try lists.check() }
        for tag in [ELFDynamic.Tag.begin, .end] {
            if let address = dynamic[tag], !isCode(address) {
                throw .malformed("its constructor or destructor is no code of it")
            }
        }
        if let address = dynamic[.globalOffsets] {
            // The loader writes the second and the third word where calls are bound later.
            guard layout.isWritable(address, count: 24, everywhere: true) else {
                throw .malformed("its table of addresses is not in any segment of it")
            }
        }
    }

    mutating func doubts(_ reason: @autoclosure () -> String) {
        if doubt == nil { doubt = reason() }
    }

    mutating func doubtsRelocation(_ type: UInt32) {
        knowsRelocations = false
        doubts("a relocation has the type \(type), which is not known")
    }

    mutating func wantsVersions(of name: [UInt8]) { versioned.insert(name) }

    /// Keeps relocations from being written into a table; most are where nothing is written to.
    mutating func guardTable(_ address: UInt64, _ count: UInt64) {
        guard count > 0 else { return }
        data.append(address..<address + count)
        guard layout.isWritable(address, count: count, everywhere: dynamic.hasTextRelocations)
        else { return }
        tables.append(address..<address + count)
    }

    /// Notes where relocations are, before it is asked what they have the loader call.
    private mutating func noteRelocations() {
        for (tag, sizeTag) in [
            (ELFDynamic.Tag.relocations, ELFDynamic.Tag.relocationsSize),
            (.callRelocations, .callRelocationsSize), (.packed, .packedSize),
        ] {
            guard let start = dynamic[tag], let size = dynamic[sizeTag] else { continue }
            let (end, overflow) = start.addingReportingOverflow(size)
            if !overflow { data.append(start..<end) }
        }
    }

    /// Whether the loader may call what is at an address: none of its tables is code.
    func isCode(_ address: UInt64) -> Bool {
        layout.isCode(address) && !data.contains { $0.contains(address) }
    }

    // MARK: Names

    /// The names of libraries and search paths, which the loader reads wherever they are.
    private func checkNames() throws(ABINoteFault) {
        let tags = [ELFDynamic.Tag.name, .searchPath, .inheritedSearchPath]
        for place in dynamic.libraries + tags.compactMap({ dynamic[$0] }) {
            guard place < UInt64(texts.count) else {
                throw .malformed("the name of a library is not in its table of names")
            }
        }
        for place in dynamic.libraries where texts.byte(at: Int(place)) == 0 {
            throw .malformed("it needs a library without a name")
        }
    }

    // MARK: Symbols

    /// Returns one more than the last symbol that a hash table reaches.
    private mutating func countSymbols() throws(ABINoteFault) -> Int {
        var count: Int?
        if let table = dynamic[.hash] { count = try hashCount(table) }
        if let table = dynamic[.gnuHash] { count = max(count ?? 0, try gnuHashCount(table)) }
        // dladdr(3) reads on to the table of names then.
        guard let count else { throw .malformed("it has no hash table of its symbols") }
        return count
    }

    private mutating func hashCount(_ address: UInt64) throws(ABINoteFault) -> Int {
        let table = try layout.bytes(from: address, of: "its hash table")
        guard table.count >= 8 else { throw .malformed("its hash table is cut") }
        let (buckets, chains) = (Int(table.word(at: 0)), Int(table.word(at: 4)))
        guard buckets + chains <= (table.count - 8) / 4 else {
            throw .malformed("its hash table is cut")
        }
        var steps = 0
        for bucket in 0..<buckets {
            var index = Int(table.word(at: 8 + bucket * 4))
            while index != 0 {
                steps += 1
                // Each symbol is in one chain: more steps, and a chain has no end.
                guard index < chains, steps <= chains else {
                    throw .malformed("its hash table leads to what is no symbol")
                }
                index = Int(table.word(at: 8 + (buckets + index) * 4))
            }
        }
        guardTable(address, UInt64(8 + (buckets + chains) * 4))
        return chains
    }

    private mutating func gnuHashCount(_ address: UInt64) throws(ABINoteFault) -> Int {
        let table = try layout.bytes(from: address, of: "its hash table")
        guard table.count >= 16 else { throw .malformed("its hash table is cut") }
        let (buckets, first) = (Int(table.word(at: 0)), Int(table.word(at: 4)))
        let filters = Int(table.word(at: 8))
        // glibc asserts the first and shifts by the second.
        guard filters.nonzeroBitCount == 1, table.word(at: 12) < 64 else {
            throw .malformed("its hash table has a filter that cannot be")
        }
        let start = 16 + filters * 8
        let chains = start + buckets * 4
        guard chains <= table.count else { throw .malformed("its hash table is cut") }
        guard let words = table.table(of: UInt32.self) else {
            throw .malformed("its hash table is not aligned")
        }
        var highest = 0
        var place = start / 4
        while place < chains / 4 {
            let index = Int(words[place])
            guard index == 0 || index >= first else {
                throw .malformed("its hash table leads to what is no symbol")
            }
            if index > highest { highest = index }
            place &+= 1
        }
        var end = chains
        if highest > 0 {
            // If the last chain ends, all chains before it end as well.
            repeat {
                end = chains + (highest - first) * 4
                guard end <= table.count - 4 else {
                    throw .malformed("its hash table has a chain without an end")
                }
                highest += 1
            } while table.word(at: end) & 1 == 0
            end += 4
        }
        guardTable(address, UInt64(end))
        return max(first, highest)
    }

    /// Checks all symbols that the hash tables reach. There may be tens of thousands: sound ones
    /// are recognised by their words.
    private func checkSymbols() throws(ABINoteFault) {
        let numbers = versions?.table(of: UInt16.self)
        guard let words = symbols.table(of: UInt64.self), (versions == nil) == (numbers == nil)
        else {
            throw .malformed("its tables of symbols are not aligned")
        }
        if let numbers, numbers.count < symbolCount {
            throw .malformed("its table of versions is cut")
        }
        let (names, highest) = (UInt64(texts.count), UInt16(highestVersion))
        var index = 0
        while index < symbolCount {
            // st_name in the low half, st_info above it.
            let word = words[index &* 3]
            let isPlain = word & 0xFFFF_FFFF < names && (word &>> 32) & 0xF != 10
            let hasVersion = numbers == nil || numbers![index] & 0x7FFF <= highest
            if !isPlain || !hasVersion { try checkSymbol(index) }
            index &+= 1
        }
    }

    /// A symbol of this table, or one behind it that a relocation names.
    func checkSymbol(_ index: Int) throws(ABINoteFault) {
        let start = index * Self.symbolSize
        guard start <= symbols.count - Self.symbolSize else {
            throw .malformed("it names a symbol that is not in its table")
        }
        guard Int(symbols.word(at: start)) < texts.count else {
            throw .malformed("the name of a symbol is not in its table of names")
        }
        // STT_GNU_IFUNC: the loader calls it for the address of the function that is meant.
        if symbols.byte(at: start + 4) & 0xF == 10, isDefined(index) {
            guard isCode(value(of: index)) else {
                throw .malformed("a function that chooses another is no code of it")
            }
        }
        if let versions {
            guard index * 2 <= versions.count - 2,
                Int(versions.half(at: index * 2) & 0x7FFF) <= highestVersion
            else { throw .malformed("a symbol has a version that is not in its table") }
        }
    }

    func isDefined(_ index: Int) -> Bool { symbols.half(at: index * Self.symbolSize + 6) != 0 }
    func value(of index: Int) -> UInt64 { symbols.long(at: index * Self.symbolSize + 8) }
    func isThreadLocal(_ index: Int) -> Bool {
        symbols.byte(at: index * Self.symbolSize + 4) & 0xF == 6  // STT_TLS
    }

    /// Returns whether the symbol has a version; 0 and 1 mean none.
    func hasVersion(_ index: Int) -> Bool {
        versions.map { $0.half(at: index * 2) & 0x7FFF > 1 } ?? false
    }

    mutating func setVersions(_ words: ELFWords, highest: Int) {
        versions = words
        highestVersion = highest
    }
}
