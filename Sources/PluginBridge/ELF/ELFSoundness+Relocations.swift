// SPDX-License-Identifier: Apache-2.0

extension ELFSoundness {
    private static var entrySize: Int { 24 }

    /// Checks what the loader writes into the library, and what it calls for that.
    mutating func checkRelocations(_ lists: inout CallLists) throws(ABINoteFault) {
        try checkPacked(&lists)
        if let address = dynamic[.relocations] {
            let size = try dynamic.value(.relocationsSize, with: .relocations)
            // glibc asserts it.
            guard try dynamic.value(.relocationSize, with: .relocations) == Self.entrySize else {
                throw .malformed("its relocations have the wrong size")
            }
            try check(address, size, relative: dynamic[.relativeCount] ?? 0, &lists)
        }
        if let kind = dynamic[.callRelocationsKind] {
            guard kind == ELFDynamic.Tag.relocations.rawValue else {
                throw .malformed("its relocations for calls are of the wrong kind")
            }
            let size = try dynamic.value(.callRelocationsSize, with: .callRelocationsKind)
            // Each call by way of a table that has not been written ends the process.
            guard size > 0 else { throw .malformed("its table of relocations for calls is empty") }
            try check(
                try dynamic.value(.callRelocations, with: .callRelocationsKind), size, relative: 0,
                &lists)
        }
    }

    /// - Parameter relative: how many of the first are of that type; glibc asserts it.
    private mutating func check(
        _ address: UInt64, _ size: UInt64, relative: UInt64, _ lists: inout CallLists
    ) throws(ABINoteFault) {
        let entries = try layout.bytes(at: address, count: size, of: "the table of relocations")
        guard entries.count.isMultiple(of: Self.entrySize) else {
            throw .malformed("its table of relocations is cut")
        }
        guardTable(address, size)
        let everywhere = dynamic.hasTextRelocations
        let count = entries.count / Self.entrySize
        var plain = try PlainRun(
            entries, relative, symbols: symbolCount, used: lists.ranges + tables)
        var index = 0
        while true {
            index = plain.end(from: index) { layout.writableRange(at: $0, everywhere: everywhere) }
            guard index < count else { return }
            let start = index * Self.entrySize
            index += 1
            let (place, info) = (entries.long(at: start), entries.long(at: start + 8))
            let addend = entries.long(at: start + 16)
            let type = UInt32(truncatingIfNeeded: info)
            // First: the loader looks up a symbol's version for every type, also for one that does
            // nothing.
            let symbol = Int(info >> 32)
            if symbol >= symbolCount { try checkSymbol(symbol) }
            guard let kind = ELFRelocation.kind(type) else {
                guard layout.isWritable(place, count: 1, everywhere: everywhere) else {
                    throw .malformed("a relocation would be written outside of its segments")
                }
                doubtsRelocation(type)
                continue
            }
            if UInt64(index) <= relative {
                guard case .relative = kind else {
                    throw .malformed("its first relocations are not of the type they should be")
                }
            }
            let width = kind.width
            guard width > 0 else { continue }
            guard layout.isWritable(place, count: width, everywhere: everywhere) else {
                throw .malformed("a relocation would be written outside of its segments")
            }
            for table in tables
            where place < table.upperBound && table.lowerBound < place + width {
                throw .malformed("a relocation would be written into a table of the loader's")
            }
            try check(kind, symbol, addend)
            try lists.note(place, width: width) {
                switch kind {
                case .relative: addend
                case .symbol(bytes: 8) where symbol != 0 && isDefined(symbol):
                    value(of: symbol) &+ addend
                default: nil
                }
            }
        }
    }

    private mutating func check(
        _ kind: ELFRelocation, _ symbol: Int, _ addend: UInt64
    ) throws(ABINoteFault) {
        switch kind {
        case .copy: throw .malformed("it has a relocation that only programs have")
        case .indirect:
            guard isCode(addend) else {
                throw .malformed("a function that chooses another is no code of it")
            }
        case .threadModule, .threadOffset, .staticThreadOffset, .threadDescriptor:
            // The first symbol denotes the library itself.
            let isOwn = symbol == 0 || isDefined(symbol)
            guard symbol == 0 || isThreadLocal(symbol), !isOwn || layout.hasThreadLocals else {
                throw .malformed("a relocation wants a thread-local variable where there is none")
            }
            // glibc divides by the alignment of the block of the library that has the variable. One
            // with a version is where that version is.
            switch kind {
            case .staticThreadOffset where !isOwn, .threadDescriptor where !isOwn:
                if !hasVersion(symbol) {
                    doubts("it is not known which library has a thread-local variable of another's")
                }
            default: break
            }
        case .nothing, .relative, .symbol: break
        }
    }

    /// DT_RELR: addresses, and behind each of them bits for the words that follow.
    private mutating func checkPacked(_ lists: inout CallLists) throws(ABINoteFault) {
        guard let address = dynamic[.packed] else { return }
        let size = try dynamic.value(.packedSize, with: .packed)
        guard try dynamic.value(.packedEntrySize, with: .packed) == 8, size.isMultiple(of: 8) else {
            throw .malformed("its packed relocations have the wrong size")
        }
        let entries = try layout.bytes(at: address, count: size, of: "the table of relocations")
        guardTable(address, size)
        let everywhere = dynamic.hasTextRelocations
        var next: UInt64?
        for start in stride(from: 0, to: entries.count, by: 8) {
            let entry = entries.long(at: start)
            if entry & 1 == 0 {
                // Linkers write them in order. The loader adds the base to each word that is named,
                // so a word that is named twice is no address any more.
                guard entry >= next ?? 0 else {
                    throw .malformed("its packed relocations name a word twice")
                }
                try checkPacked(entry, everywhere, &lists)
                next = entry &+ 8
                continue
            }
            guard let first = next else {
                throw .malformed("its packed relocations begin with no address")
            }
            for bit in 0..<UInt64(63) where entry >> (bit + 1) & 1 == 1 {
                try checkPacked(first &+ bit * 8, everywhere, &lists)
            }
            next = first &+ 63 * 8
        }
    }

    private func checkPacked(
        _ place: UInt64, _ everywhere: Bool, _ lists: inout CallLists
    ) throws(ABINoteFault) {
        guard layout.isWritable(place, count: 8, everywhere: everywhere) else {
            throw .malformed("a relocation would be written outside of its segments")
        }
        for table in tables where place < table.upperBound && table.lowerBound < place + 8 {
            throw .malformed("a relocation would be written into a table of the loader's")
        }
        // The number at the place is the addend.
        let layout = layout
        try lists.note(place, width: 8) {
            try? layout.bytes(at: place, count: 8, of: "").long(at: 0)
        }
    }
}
