// SPDX-License-Identifier: Apache-2.0

/// The dynamic entries of a shared object, as the loader keeps them: of several with the same tag it
/// goes by the last.
package struct ELFDynamic {
    /// Tags of the ELF specification and of GNU, as far as they are needed.
    package enum Tag: UInt64 {
        case needed = 1
        case callRelocationsSize = 2  // DT_PLTRELSZ
        case globalOffsets = 3  // DT_PLTGOT
        case hash = 4
        case texts = 5  // DT_STRTAB
        case symbols = 6  // DT_SYMTAB
        case relocations = 7  // DT_RELA
        case relocationsSize = 8
        case relocationSize = 9  // DT_RELAENT
        case textsSize = 10
        case symbolSize = 11  // DT_SYMENT
        case begin = 12  // DT_INIT
        case end = 13  // DT_FINI
        case name = 14  // DT_SONAME
        case inheritedSearchPath = 15  // DT_RPATH
        case callRelocationsKind = 20  // DT_PLTREL
        case textRelocations = 22  // DT_TEXTREL
        case callRelocations = 23  // DT_JMPREL
        case beginList = 25  // DT_INIT_ARRAY
        case endList = 26
        case beginListSize = 27
        case endListSize = 28
        case searchPath = 29  // DT_RUNPATH
        case flags = 30
        case firstList = 32  // DT_PREINIT_ARRAY
        case firstListSize = 33
        case packedSize = 35  // DT_RELRSZ
        case packed = 36  // DT_RELR
        case packedEntrySize = 37  // DT_RELRENT
        case gnuHash = 0x6FFF_FEF5
        case symbolVersions = 0x6FFF_FFF0  // DT_VERSYM
        case relativeCount = 0x6FFF_FFF9  // DT_RELACOUNT
        case definedVersions = 0x6FFF_FFFC  // DT_VERDEF
        case neededVersions = 0x6FFF_FFFE  // DT_VERNEED
        case auxiliary = 0x7FFF_FFFD  // DT_AUXILIARY
        case filter = 0x7FFF_FFFF  // DT_FILTER
    }

    /// DF_TEXTREL
    private static var textRelocationsFlag: UInt64 { 4 }
    static var entrySize: Int { 16 }

    private var last: [UInt64: UInt64] = [:]
    /// DT_NEEDED, DT_FILTER and DT_AUXILIARY: where the names of the libraries are that the loader
    /// loads along with this one.
    private(set) var libraries: [UInt64] = []
    /// The first tag that is in none of our lists.
    private(set) var unknownTag: UInt64?

    /// Reads the entries up to DT_NULL, which the loader looks for without an end.
    init(_ entries: ELFWords) throws(ABINoteFault) {
        var start = 0
        while true {
            guard start <= entries.count - Self.entrySize else {
                throw .malformed("its dynamic entries have no end")
            }
            let tag = entries.long(at: start)
            guard tag != 0 else { return }
            let value = entries.long(at: start + 8)
            switch tag {
            case Tag.needed.rawValue, Tag.filter.rawValue, Tag.auxiliary.rawValue:
                libraries.append(value)
            default:
                last[tag] = value
                if unknownTag == nil, !Self.isKnown(tag) { unknownTag = tag }
            }
            start += Self.entrySize
        }
    }

    subscript(_ tag: Tag) -> UInt64? { last[tag.rawValue] }

    /// A value that has to be there because another one is.
    func value(_ tag: Tag, with other: Tag) throws(ABINoteFault) -> UInt64 {
        guard let value = self[tag] else {
            let tags = [other, tag].map { "0x" + String($0.rawValue, radix: 16) }
            throw .malformed("it has the dynamic entry \(tags[0]) without \(tags[1])")
        }
        return value
    }

    var hasTextRelocations: Bool {
        self[.textRelocations] != nil || (self[.flags] ?? 0) & Self.textRelocationsFlag != 0
    }

    /// Whether nothing comes of a tag that was not checked here: those of the ELF specification, and
    /// of the ranges of GNU and Sun what glibc 2.36 to 2.41 knows or what only tells.
    private static func isKnown(_ tag: UInt64) -> Bool {
        switch tag {
        case 1...37: true
        case 0x6FFF_FDF4...0x6FFF_FDFF, 0x6FFF_FEF5...0x6FFF_FEFF: true
        case 0x6FFF_FFF0, 0x6FFF_FFF9...0x6FFF_FFFF, 0x7FFF_FFFD...0x7FFF_FFFF: true
        // DT_AARCH64_BTI_PLT, DT_AARCH64_PAC_PLT and DT_AARCH64_VARIANT_PCS; on x86-64 DT_X86_64_PLT…
        case 0x7000_0000...0x7000_0005: true
        default: false
        }
    }
}
