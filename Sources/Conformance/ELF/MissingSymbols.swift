// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// What a library needs and would not find, as the loader itself says without running any code.
enum MissingSymbols {
    private static let (room, limit): (Int, UInt64) = (1 << 20, 10_000_000_000)

    /// Returns the names, in the loader's order; libraries and symbols that are not found.
    static func find(in library: String) -> (libraries: [String], symbols: [String]) {
        var text = [UInt8](repeating: 0, count: room)
        let count = text.withUnsafeMutableBytes {
            csys_trace_loading(
                library, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, limit)
        }
        guard count > 0 else { return ([], []) }
        var (libraries, symbols): ([String], [String]) = ([], [])
        for line in text[..<count].split(separator: UInt8(ascii: "\n")) {
            if let mark = line.firstRange(of: Array(" => not found".utf8)) {
                let name = line[..<mark.lowerBound].drop { $0 == UInt8(ascii: "\t") }
                libraries.append(String(decoding: name, as: UTF8.self))
            } else if let mark = line.firstRange(of: Array("undefined symbol: ".utf8)) {
                let ends = [UInt8(ascii: "\t"), UInt8(ascii: ",")]
                let name = line[mark.upperBound...].prefix { !ends.contains($0) }
                let text = String(decoding: name, as: UTF8.self)
                // The program itself has some for its plugins, such as those of Swift.
                if dlsym(nil, text) == nil { symbols.append(text) }
            }
        }
        return (libraries, symbols)
    }
}
