// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The variables the program was started with.
enum Environment {
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// All of them whose names and values are UTF-8.
    static var all: [(name: String, value: String)] {
        var variables: [(name: String, value: String)] = []
        var next = environ
        while let entry = next.pointee {
            next = next.successor()
            guard let text = String(validatingCString: entry),
                let split = text.utf8.firstIndex(of: UInt8(ascii: "="))
            else { continue }
            variables.append(
                (String(text[..<split]), String(text[text.utf8.index(after: split)...])))
        }
        return variables
    }

    /// Variables that lead to files.
    private static let places = [
        "CURFEW_PLUGIN_PATH", "XDG_DATA_HOME", "CURFEW_STORE", "XDG_STATE_HOME",
        "XDG_CONFIG_HOME", "HOME", "CURFEW_SOCKET",
        "CURFEW_PLUGIN_COPIES", "TMPDIR",
    ]

    /// Throws where a path in a variable is not UTF-8: repaired, it would lead to another file.
    static func check() throws(CommandError) {
        for name in places {
            guard let value = getenv(name), String(validatingCString: value) == nil else {
                continue
            }
            throw CommandError(
                .usage, "the variable \(name) is not UTF-8: `\(String(cString: value))`",
                notes: ["nothing was done"],
                help: ["leave it out: env -u \(name) curfew …", "or rename what it leads to"])
        }
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
