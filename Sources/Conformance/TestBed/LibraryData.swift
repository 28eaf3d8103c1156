// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// The bytes of a loaded library that its code can write, at one moment: its variables.
struct LibraryData {
    private struct Part {
        let start: UInt64
        let bytes: [UInt8]
        /// Where the library begins.
        let base: UInt64
    }

    private let parts: [Part]

    /// - Parameter path: as it was loaded.
    init(ofLibraryAt path: String) {
        var parts: [Part] = []
        withUnsafeMutablePointer(to: &parts) { parts in
            csys_each_writable_part(path, parts) { parts, start, count, base in
                guard let bytes = LibraryData.bytes(start..<start + count) else { return }
                parts?.assumingMemoryBound(to: [Part].self).pointee.append(
                    Part(start: start, bytes: bytes, base: base))
            }
        }
        self.parts = parts
    }

    /// Returns the address of the first byte that is not as it was, as in the library's file; nil where
    /// there is none, or where the library is no longer there.
    func firstChange() -> UInt64? {
        for part in parts {
            let range = part.start..<part.start + UInt64(part.bytes.count)
            guard let now = Self.bytes(range) else { continue }
            let changed = zip(part.bytes, now).enumerated().first { $1.0 != $1.1 }
            if let changed { return part.start - part.base + UInt64(changed.offset) }
        }
        return nil
    }

    /// Reads memory by way of the kernel, since it may be gone.
    private static func bytes(_ range: Range<UInt64>) -> [UInt8]? {
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return nil }
        defer { close(memory) }
        var bytes = [UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound))
        let count = pread(memory, &bytes, bytes.count, off_t(range.lowerBound))
        return count == bytes.count ? bytes : nil
    }
}
