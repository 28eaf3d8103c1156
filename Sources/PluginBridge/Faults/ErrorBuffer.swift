// SPDX-License-Identifier: Apache-2.0
public import CCurfew

/// The caller-owned buffer into which a call writes what went wrong.
@usableFromInline package enum ErrorBuffer {
    /// Offset and capacity of `message` in the version this host was built with.
    private static let messageOffset = MemoryLayout<curfew_error>.offset(of: \.message) ?? 8

    /// Writes status and text, cut at a character to what the caller's struct holds. A NULL buffer
    /// is fine.
    package static func fill(
        _ buffer: UnsafeMutablePointer<curfew_error>?, _ status: Status, _ message: String
    ) {
        guard let buffer else { return }
        let size = min(Int(buffer.pointee.struct_size), MemoryLayout<curfew_error>.size)
        guard size > messageOffset else { return }
        buffer.pointee.code = status.rawValue
        let target = UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(buffer) + messageOffset, count: size - messageOffset)
        var length = 0
        for scalar in message.unicodeScalars {
            let bytes = UTF8.encode(scalar)!
            guard length + bytes.count < target.count else { break }
            for byte in bytes {
                target[length] = byte
                length += 1
            }
        }
        target[length] = 0
    }

    /// Calls `body` with the bytes of a plugin's message up to its NUL, or all of them if it has none.
    package static func withMessage(
        _ buffer: UnsafeMutablePointer<curfew_error>, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        withUnsafeBytes(of: &buffer.pointee.message) { bytes in
            body(UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != 0 }))
        }
    }

    /// Writes a message that `withMessage` has returned in another process: what `isSound` and `text`
    /// say of the buffer then holds for the message.
    package static func fill(
        _ buffer: UnsafeMutablePointer<curfew_error>, _ status: Status,
        message: UnsafeRawBufferPointer
    ) {
        buffer.pointee.code = status.rawValue
        withUnsafeMutableBytes(of: &buffer.pointee.message) { bytes in
            let part = message.prefix(bytes.count)
            bytes.copyBytes(from: part)
            if part.count < bytes.count { bytes[part.count] = 0 }
        }
    }

    /// Empties a buffer of the host's own before a call into a plugin.
    @inlinable package static func reset(_ buffer: UnsafeMutablePointer<curfew_error>) {
        buffer.pointee.code = 0
        buffer.pointee.message.0 = 0
    }

    /// Returns whether the text of a plugin ends with NUL and is UTF-8.
    package static func isSound(_ buffer: UnsafeMutablePointer<curfew_error>) -> Bool {
        withUnsafeBytes(of: &buffer.pointee.message) { bytes in
            guard let end = bytes.firstIndex(of: 0) else { return false }
            return String(validating: bytes[..<end], as: UTF8.self) != nil
        }
    }

    /// The text a plugin wrote, with malformed UTF-8 repaired; "" when it wrote none. A missing
    /// NUL is no harm.
    package static func text(_ buffer: UnsafeMutablePointer<curfew_error>) -> String {
        withUnsafeBytes(of: &buffer.pointee.message) { bytes in
            let end = bytes.firstIndex(of: 0) ?? bytes.count
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }
}
