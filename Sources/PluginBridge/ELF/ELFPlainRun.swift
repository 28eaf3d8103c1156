// SPDX-License-Identifier: Apache-2.0

extension ELFSoundness {
    /// Passes over relocations that are plainly sound: relative ones and those of a symbol that was
    /// checked, into memory of which the loader makes no other use.
    ///
    /// Nearly all of a large library are such, tens of thousands. The loop is written so that it is
    /// fast without an optimizer, too, as in tests.
    struct PlainRun {
        private let words: UnsafeBufferPointer<UInt64>
        private let count: Int
        /// The number of relative relocations at the beginning, as the loader counts them.
        private let relative: Int
        /// The number of checked symbols.
        private let symbols: UInt64
        private let info: UInt64
        private let used: (Range<UInt64>, Range<UInt64>, Range<UInt64>, Range<UInt64>)
        /// The places in the segment that was written to last.
        private var low: UInt64 = 1
        private var high: UInt64 = 0

        /// - Parameter used: the places that have to be looked at more closely.
        init(
            _ entries: ELFWords, _ relative: UInt64, symbols: Int, used: [Range<UInt64>]
        ) throws(ABINoteFault) {
            guard let words = entries.table(of: UInt64.self) else {
                throw .malformed("its table of relocations is not aligned")
            }
            self.words = words
            let isUsable = used.count <= 4 && ELFRelocation.relativeInfo != nil
            count = isUsable ? words.count / 3 : 0
            self.relative = Int(min(relative, UInt64(words.count / 3)))
            self.symbols = UInt64(symbols)
            info = ELFRelocation.relativeInfo ?? 0
            func range(_ number: Int) -> Range<UInt64> {
                number < used.count ? used[number] : 0..<0
            }
            self.used = (range(0), range(1), range(2), range(3))
        }

        /// Returns the first relocation from one on that is not plainly sound.
        ///
        /// - Parameter writable: the addresses around one to which the loader may write.
        mutating func end(from first: Int, _ writable: (UInt64) -> Range<UInt64>?) -> Int {
            let (a, b) = (used.0.lowerBound, used.0.upperBound)
            let (c, d) = (used.1.lowerBound, used.1.upperBound)
            let (e, f) = (used.2.lowerBound, used.2.upperBound)
            let (g, h) = (used.3.lowerBound, used.3.upperBound)
            var index = first
            while index < count {
                let place = words[index &* 3]
                let last = place &+ 8
                let kind = words[index &* 3 &+ 1]
                if kind != info {
                    guard index >= relative, kind &>> 32 < symbols,
                        ELFRelocation.isPlainSymbol(kind & 0xFFFF_FFFF)
                    else { return index }
                }
                if place < b && last > a || place < d && last > c || place < f && last > e
                    || place < h && last > g
                {
                    return index
                }
                if place < low || place > high {
                    guard let range = writable(place) else { return index }
                    (low, high) = (range.lowerBound, range.upperBound &- 8)
                }
                index &+= 1
            }
            return index
        }
    }
}
