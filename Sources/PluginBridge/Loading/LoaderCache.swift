// SPDX-License-Identifier: Apache-2.0

/// The libraries that `ldconfig` found: the file `/etc/ld.so.cache`, in glibc's format since 2.2.
package struct LoaderCache: Sendable {
    static var path: String { "/etc/ld.so.cache" }
    /// The maximum number of bytes; a longer file is not trusted.
    static var sizeLimit: Int { 1 << 25 }

    private static var magic: [UInt8] { Array("glibc-ld.so.cache1.1".utf8) }
    private static var headerSize: Int { 48 }
    private static var entrySize: Int { 24 }

    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        // Older systems have a cache of an older kind in front of it, padded to eight bytes.
        let start = stride(from: 0, to: bytes.count, by: 8).first {
            bytes[$0...].starts(with: Self.magic)
        }
        self.bytes = Array(bytes[(start ?? bytes.count)...])
    }

    /// All files it has under a name, for whatever processor: the loader takes the first that fits.
    package func files(_ name: String) -> [String] {
        bytes.withUnsafeBytes { raw in
            let words = ELFWords(raw)
            guard words.count >= Self.headerSize else { return [] }
            let count = min(
                Int(words.word(at: Self.magic.count)),
                (words.count - Self.headerSize) / Self.entrySize)
            var found: [String] = []
            for number in 0..<count {
                let entry = Self.headerSize + number * Self.entrySize
                guard text(words, at: words.word(at: entry + 4))?.elementsEqual(name.utf8) == true,
                    let path = text(words, at: words.word(at: entry + 8)),
                    let path = String(validating: path, as: UTF8.self)
                else { continue }
                found.append(path)
            }
            return found
        }
    }

    private func text(
        _ words: ELFWords, at place: UInt32
    ) -> UnsafeRawBufferPointer.SubSequence? {
        Int(place) < words.count ? words.text(at: Int(place)) : nil
    }
}
