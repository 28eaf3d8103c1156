// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why a file says nothing: it cannot be read, or what it says makes no sense.
struct FileFault: Error, CustomStringConvertible {
    let path: String
    /// The `errno`; 0 where the file was read.
    let code: Int32
    /// Lower case, no full stop.
    let reason: String

    /// A call on the path failed.
    init(_ path: String, code: Int32) {
        self.path = Shown.text(path)
        self.code = code
        var text = [CChar](repeating: 0, count: 128)
        reason =
            strerror_r(code, &text, text.count) == 0
            ? String(
                decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            : "error \(code)"
    }

    /// Its contents are odd.
    init(_ path: String, _ reason: String) {
        self.path = Shown.text(path)
        code = 0
        self.reason = reason
    }

    /// There is no such file, or no longer.
    var isMissing: Bool { code == ENOENT || code == ENOTDIR || code == ENODEV || code == ENXIO }

    /// "/sys/class/power_supply/BAT0/capacity: No such device"
    var description: String { "\(path): \(reason)" }
}
