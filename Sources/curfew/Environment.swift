// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The variables the program was started with.
enum Environment {
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// All of them, `NAME=value`.
    static var all: [String] {
        var all: [String] = []
        var next = environ
        while let text = next.pointee {
            all.append(String(cString: text))
            next += 1
        }
        return all
    }

    /// Characters beyond ASCII are shown as they are.
    static var isUTF8: Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            if let value = value(name), !value.isEmpty {
                let lower = value.lowercased()
                return lower.contains("utf-8") || lower.contains("utf8")
            }
        }
        return false
    }
}
