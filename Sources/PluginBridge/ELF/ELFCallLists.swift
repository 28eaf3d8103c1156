// SPDX-License-Identifier: Apache-2.0

extension ELFSoundness {
    /// The lists of constructors and destructors: what is written into them has to be the address of
    /// code of the library, since the loader calls it, whatever it is.
    struct CallLists {
        private struct List {
            let start: UInt64
            var isSet: [Bool]
            var end: UInt64 { start + UInt64(isSet.count) * 8 }
        }

        /// The maximum number of functions in a list.
        static var limit: UInt64 { 1 << 16 }

        private var lists: [List] = []
        private let library: ELFSoundness

        init(_ library: ELFSoundness) throws(ABINoteFault) {
            self.library = library
            let (layout, dynamic) = (library.layout, library.dynamic)
            for (tag, sizeTag) in [
                (ELFDynamic.Tag.firstList, ELFDynamic.Tag.firstListSize),
                (.beginList, .beginListSize), (.endList, .endListSize),
            ] {
                guard let start = dynamic[tag] else { continue }
                let size = try dynamic.value(sizeTag, with: tag)
                guard size <= Self.limit * 8, size.isMultiple(of: 8) else {
                    throw .malformed("its list of constructors has \(size) bytes")
                }
                guard layout.isWritable(start, count: size, everywhere: true) else {
                    throw .malformed("its list of constructors is not in any segment of it")
                }
                lists.append(
                    List(start: start, isSet: [Bool](repeating: false, count: Int(size / 8))))
            }
        }

        /// The ranges of the lists.
        var ranges: [Range<UInt64>] { lists.map { $0.start..<$0.end } }

        /// Notes that the loader writes somewhere: `address` is where it writes the address of, counted
        /// from the beginning of the library; nil where that is not known, or is none.
        @inline(__always)
        mutating func note(
            _ place: UInt64, width: UInt64, _ address: () -> UInt64?
        ) throws(ABINoteFault) {
            for number in lists.indices {
                let (start, end) = (lists[number].start, lists[number].end)
                guard place < end, start < place + width else { continue }
                guard place >= start, (place - start).isMultiple(of: 8), width == 8,
                    let address = address(), library.isCode(address)
                else { throw .malformed("its list of constructors names what is no code of it") }
                lists[number].isSet[Int((place - start) / 8)] = true
            }
        }

        /// Throws where no relocation writes an entry: the number in the file is no address.
        func check() throws(ABINoteFault) {
            guard lists.allSatisfy({ $0.isSet.allSatisfy(\.self) }) else {
                throw .malformed("its list of constructors names what is no code of it")
            }
        }
    }
}
