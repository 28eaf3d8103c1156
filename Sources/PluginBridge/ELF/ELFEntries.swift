// SPDX-License-Identifier: Apache-2.0

/// The dynamic entries of a library that is not loaded, in its order. Of several with the same tag
/// the loader goes by the last.
package struct ELFEntries {
    private var all: [(tag: UInt64, value: UInt64)] = []

    /// The maximum number of bytes.
    private static var limit: Int { 64 * 1024 }

    package init(_ library: borrowing ELFSharedObject) throws(ABINoteFault) {
        for segment in library.segments where segment.type == ELFSegment.dynamic {
            guard segment.size <= UInt64(Self.limit) else {
                throw .malformed(
                    "it has \(segment.size) bytes of dynamic entries, the limit is \(Self.limit)")
            }
            let words = ABINoteWords(
                try library.file.bytes(at: segment.offset, count: Int(segment.size)))
            for start in stride(from: 0, through: words.count - 16, by: 16) {
                let tag = words.long(at: start)
                if tag == 0 { break }
                all.append((tag, words.long(at: start + 8)))
            }
        }
    }

    package subscript(_ tag: ELFDynamic.Tag) -> UInt64? {
        all.last { $0.tag == tag.rawValue }?.value
    }

    /// Returns the values of all entries with one of these tags.
    func values(_ tags: ELFDynamic.Tag...) -> [UInt64] {
        all.filter { entry in tags.contains { $0.rawValue == entry.tag } }.map(\.value)
    }
}
