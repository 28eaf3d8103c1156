// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// Libraries, versions and symbols that a library needs and this machine lacks. The loader finds them without running
/// any code.
struct MissingSymbols {
    /// Names, in the loader's order.
    private(set) var libraries: [String] = []
    /// Worded "version V_2 of libname.so.1".
    private(set) var versions: [String] = []
    private(set) var symbols: [String] = []
    /// Whether the loader could be asked.
    private(set) var isKnown = false

    private static let (room, limit): (Int, UInt64) = (1 << 20, 10_000_000_000)

    init(of library: String) {
        var text = [UInt8](repeating: 0, count: Self.room)
        let count = text.withUnsafeMutableBytes {
            csys_trace_loading(
                library, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, Self.limit)
        }
        isKnown = count > 0
        guard count > 0 else { return }
        for line in text[..<count].split(separator: UInt8(ascii: "\n")) {
            if let mark = line.firstRange(of: Array(" => not found".utf8)) {
                let name = line[..<mark.lowerBound].drop { $0 == UInt8(ascii: "\t") }
                libraries.append(String(decoding: name, as: UTF8.self))
            } else if let mark = line.firstRange(of: Array(": version `".utf8)) {
                // "./libown.so: /usr/lib/libname.so.1: version `V_2' not found (required by ./libown.so)"
                let name = line[mark.upperBound...].prefix { $0 != UInt8(ascii: "'") }
                let paths = line[..<mark.lowerBound]
                let file = paths[((paths.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]
                versions.append(
                    "version \(String(decoding: name, as: UTF8.self)) of \(String(decoding: file, as: UTF8.self))"
                )
            } else if let mark = line.firstRange(of: Array("undefined symbol: ".utf8)) {
                let ends = [UInt8(ascii: "\t"), UInt8(ascii: ",")]
                let name = line[mark.upperBound...].prefix { !ends.contains($0) }
                let text = String(decoding: name, as: UTF8.self)
                // The program itself has some for its plugins, such as those of Swift.
                if dlsym(nil, text) == nil { symbols.append(text) }
            }
        }
    }
}
