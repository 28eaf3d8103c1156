// SPDX-License-Identifier: Apache-2.0

/// Arrays and texts in structs of the other side's.
package enum StructArray {
    /// Fills an array of the caller's, whose elements are as far apart as the first one says. Returns
    /// how many were filled; nil where that cannot be.
    package static func fill<Source, Target>(
        _ target: UnsafeMutablePointer<Target>, _ capacity: UInt32, _ sources: [Source],
        _ convert: (Source) -> Target
    ) -> UInt32? {
        guard capacity > 0 else { return 0 }
        guard UInt(bitPattern: target) != 0 else { return nil }
        let size = UnsafeRawPointer(target).load(as: UInt32.self)
        guard size >= 8, size <= 4_096, size % 8 == 0 else { return nil }
        var count: UInt32 = 0
        for source in sources.prefix(Int(capacity)) {
            let place = UnsafeMutableRawPointer(target).advanced(by: Int(count) * Int(size))
                .assumingMemoryBound(to: Target.self)
            StructCopy.write(convert(source), to: place, size: size)
            place.withMemoryRebound(to: UInt32.self, capacity: 1) { $0.pointee = size }
            count += 1
        }
        return count
    }

    /// Copies a text into an array of a struct, cut between two characters, with NUL at its end.
    package static func put<Array>(_ text: String, _ array: inout Array) {
        withUnsafeMutableBytes(of: &array) { target in
            var used = 0
            for scalar in text.unicodeScalars where scalar.value != 0 {
                let bytes = UTF8.encode(scalar).map(Swift.Array.init) ?? []
                guard used + bytes.count < target.count else { break }
                for byte in bytes {
                    target[used] = byte
                    used += 1
                }
            }
            target[used] = 0
        }
    }

    /// Copies as many bytes as there is room for, and tells how many there are. Returns `.ok`, or
    /// `.tooLarge` where they were cut.
    package static func copy(
        _ bytes: [UInt8], to buffer: UnsafeMutableRawPointer?, _ capacity: UInt64,
        _ out: UnsafeMutablePointer<UInt64>?
    ) -> Status {
        let room = buffer == nil ? 0 : Int(clamping: capacity)
        UnsafeMutableRawBufferPointer(start: buffer, count: room).copyBytes(
            from: bytes.prefix(room))
        out?.pointee = UInt64(bytes.count)
        return bytes.count <= room ? .ok : .tooLarge
    }
}
