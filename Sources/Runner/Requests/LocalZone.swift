// SPDX-License-Identifier: Apache-2.0
import Glibc
import Scheduling

/// The machine's time zone, from localtime(3).
package struct LocalZone: TimeZoneRules {
    package init() {}

    package func offset(at instant: Int64) -> Int64 {
        var time = time_t(instant)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return Int64(parts.tm_gmtoff)
    }

    /// Reads the machine's time zone again, unless TZ names another: localtime_r(3) does so the first time only.
    package static func readAgain() { tzset() }

    /// The value of TZ if it is no zone file or rule; localtime(3) silently uses UTC then.
    package static var unknownName: String? {
        guard let text = getenv("TZ").map({ String(cString: $0) }) else { return nil }
        let name = text.begins(with: ":") ? String(text.dropFirst()) : text
        let isKnown = name.isEmpty || ["UTC", "GMT"].contains(name) || isRule(name) || isFile(name)
        return isKnown ? nil : text
    }

    /// Whether a text is a rule as in tzset(3), a name and an offset: `CET-1CEST`.
    private static func isRule(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        let isQuoted = rest.first == UInt8(ascii: "<")
        if isQuoted { rest.removeFirst() }
        let name = rest.prefix { byte in
            isLetter(byte) || (isQuoted && (isDigit(byte) || "+-".utf8.contains(byte)))
        }
        rest = rest.dropFirst(name.count)
        if isQuoted {
            guard rest.first == UInt8(ascii: ">") else { return false }
            rest.removeFirst()
        }
        if let sign = rest.first, "+-".utf8.contains(sign) { rest.removeFirst() }
        return name.count >= 3 && rest.first.map(isDigit) == true
    }

    /// Whether a name is a file with the magic of tzfile(5).
    private static func isFile(_ name: String) -> Bool {
        let directory = getenv("TZDIR").map { String(cString: $0) } ?? ""
        let path =
            name.begins(with: "/")
            ? name : (directory.isEmpty ? "/usr/share/zoneinfo" : directory) + "/" + name
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var magic = [UInt8](repeating: 0, count: 4)
        return read(file, &magic, magic.count) == magic.count && magic.elementsEqual("TZif".utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
