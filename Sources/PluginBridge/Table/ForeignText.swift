// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A NUL-terminated text of a plugin or an embedder, read up to a limit.
package enum ForeignText {
    /// Bytes of an identifier, a plugin's id, or an event's name.
    package static let name = 128
    /// Bytes of a path: those of PATH_MAX (limits.h) without the end.
    package static let path = 4_095

    /// Reads a text that must be exact: a name, a path, a key. Returns nil for NULL, for more than
    /// `limit` bytes, and for invalid UTF-8: repaired, it would be another name or path.
    package static func read(_ start: UnsafePointer<CChar>?, limit: Int) -> String? {
        guard let bytes = bytes(start, limit: limit), start?[bytes.count] == 0 else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Reads a text for people: its first `limit` bytes, and what is not UTF-8 repaired. Nil for NULL.
    package static func shown(_ start: UnsafePointer<CChar>?, limit: Int) -> String? {
        bytes(start, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func bytes(
        _ start: UnsafePointer<CChar>?, limit: Int
    ) -> UnsafeRawBufferPointer? {
        // Compares bits: where the header promises a pointer, a comparison with nil is folded away.
        guard UInt(bitPattern: start) != 0, let start else { return nil }
        return UnsafeRawBufferPointer(start: start, count: strnlen(start, limit))
    }
}
