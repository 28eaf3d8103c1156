// SPDX-License-Identifier: Apache-2.0
import TestSupport

extension SeededGenerator {
    /// Changes one to four places: flips a bit, or removes, repeats, or overwrites a few bytes.
    mutating func mutate(_ bytes: [UInt8], dictionary: [[UInt8]] = [[0], [0xFF]]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            let end = min(place + Int.random(in: 1...8, using: &self), bytes.count)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            default:
                bytes.insert(contentsOf: dictionary.randomElement(using: &self)!, at: place)
            }
        }
        return bytes
    }
}
