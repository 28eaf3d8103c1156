// SPDX-License-Identifier: Apache-2.0

/// A name of a plugin's: NUL-terminated, and looked at no further than it may be long.
enum PluginName {
    static func read(_ start: UnsafePointer<CChar>?, limit: Int) -> String? {
        // Compares bits: where the header promises a pointer, a comparison with nil is folded away.
        guard UInt(bitPattern: start) != 0, let start else { return nil }
        var length = 0
        while start[length] != 0 {
            length += 1
            if length > limit { return nil }
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: length)
        return String(validating: bytes, as: UTF8.self)
    }
}
