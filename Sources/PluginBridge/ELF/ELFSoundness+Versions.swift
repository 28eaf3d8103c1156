// SPDX-License-Identifier: Apache-2.0

extension ELFSoundness {
    /// The maximum number of versions: their indexes have fifteen bits.
    private static var versionLimit: Int { 1 << 16 }

    /// Checks the versions of symbols: what the library defines and what it wants of others.
    mutating func checkVersions() throws(ABINoteFault) {
        var highest = 0
        var steps = 0
        if let address = dynamic[.neededVersions] {
            try walkNeeded(address, &highest, &steps)
        }
        if let address = dynamic[.definedVersions] {
            try walkDefined(address, &highest, &steps)
        }
        guard let address = dynamic[.symbolVersions] else {
            // The loader asks for the table when it has seen the first version.
            guard highest == 0 else {
                throw .malformed("it has versions, and its symbols have none")
            }
            return
        }
        // With no versions at all the loader has no table of them, and reads at a small address.
        guard highest > 0 else { throw .malformed("its symbols have versions, and it has none") }
        let words = try layout.bytes(from: address, of: "the table of versions")
        setVersions(words, highest: highest)
        guardTable(address, UInt64(symbolCount * 2))
    }

    private mutating func walkNeeded(
        _ address: UInt64, _ highest: inout Int, _ steps: inout Int
    ) throws(ABINoteFault) {
        let table = try layout.bytes(from: address, of: "the table of needed versions")
        var entry = 0
        while true {
            try step(entry, 16, table, &steps)
            // glibc asserts that the library was loaded.
            let file = table.word(at: entry + 4)
            guard Int(file) < texts.count, let name = texts.text(at: Int(file)),
                isNeeded(file, name)
            else { throw .malformed("it wants versions of a library that it does not need") }
            wantsVersions(of: Array(name))
            var version = entry + Int(table.word(at: entry + 8))
            while true {
                try step(version, 16, table, &steps)
                guard Int(table.word(at: version + 8)) < texts.count else {
                    throw .malformed("the name of a version is not in its table of names")
                }
                highest = max(highest, Int(table.half(at: version + 6) & 0x7FFF))
                guardTable(address + UInt64(version), 16)
                let next = Int(table.word(at: version + 12))
                if next == 0 { break }
                version += next
            }
            guardTable(address + UInt64(entry), 16)
            let next = Int(table.word(at: entry + 12))
            if next == 0 { return }
            entry += next
        }
    }

    private mutating func walkDefined(
        _ address: UInt64, _ highest: inout Int, _ steps: inout Int
    ) throws(ABINoteFault) {
        let table = try layout.bytes(from: address, of: "the table of its versions")
        var entry = 0
        while true {
            try step(entry, 20, table, &steps)
            highest = max(highest, Int(table.half(at: entry + 4) & 0x7FFF))
            let name = entry + Int(table.word(at: entry + 12))
            try step(name, 8, table, &steps)
            guard Int(table.word(at: name)) < texts.count else {
                throw .malformed("the name of a version is not in its table of names")
            }
            guardTable(address + UInt64(entry), 20)
            guardTable(address + UInt64(name), 8)
            let next = Int(table.word(at: entry + 16))
            if next == 0 { return }
            entry += next
        }
    }

    private func step(
        _ place: Int, _ count: Int, _ table: ELFWords, _ steps: inout Int
    ) throws(ABINoteFault) {
        steps += 1
        guard place <= table.count - count, steps <= Self.versionLimit else {
            throw .malformed("its tables of versions have no end")
        }
    }

    /// Whether a name is that of a library that is loaded along with this one.
    private func isNeeded(_ place: UInt32, _ name: UnsafeRawBufferPointer.SubSequence) -> Bool {
        dynamic.libraries.contains { other in
            other == UInt64(place)
                || texts.text(at: Int(other)).map { $0.elementsEqual(name) } ?? false
        }
    }
}
