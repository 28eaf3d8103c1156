// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import Glibc
package import Scheduling

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
    /// Zones with names are read again as well: their rules may be newer by now.
    package static func readAgain() {
        tzset()
        named.withLock { $0 = [:] }
    }

    /// The zones that were asked for by their names; nil for one that is not there.
    ///
    /// glibc has no function for the time of a zone that is not the process' own, and to change that
    /// one, TZ, changes it for all threads.
    private static let named = Locked<[String: ZoneFile?]>([:])
    /// The most zones that are remembered, and bytes of a file: the largest has 4 KiB.
    private static let (zoneLimit, sizeLimit) = (1_000, 65_536)

    package func named(_ name: String) -> (any TimeZoneRules)? {
        guard CronSchedule.isZoneName(name) else { return nil }
        if let known = Self.named.withLock({ $0[name] }) { return known }
        let zone = Self.zone(named: name)
        // Which needs no file.
        if zone == nil, name == "UTC" { return UTC() }
        Self.named.withLock { zones in
            if zones.count >= Self.zoneLimit { zones = [:] }
            zones[name] = .some(zone)
        }
        return zone
    }

    private static func zone(named name: String) -> ZoneFile? {
        let file = open(path(of: name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: sizeLimit)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress! + count, $0.count - count)
            }
            if read == 0 { break }
            guard read > 0 else { return nil }
            count += read
        }
        guard count < sizeLimit else { return nil }
        return try? ZoneFile(Array(bytes[..<count]))
    }

    /// Returns why there is no zone of a name, and what to write: for messages. Looks at the machine's files.
    package static func missing(_ name: String) -> (message: String, help: String) {
        let file = path(of: name)
        var status = stat()
        if stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            return (
                "\(file) is not a file with a time zone that can be read",
                "install tzdata anew, or write another name"
            )
        }
        // "europe/berlin", "new york".
        let capital = name.parts(at: "/", omittingEmpty: false).map { part in
            part.parts(at: "_", omittingEmpty: false).map { word in
                word.prefix(1).uppercased() + word.dropFirst().lowercased()
            }.joined(separator: "_")
        }.joined(separator: "/")
        let near = [capital, name.uppercased()].first { $0 != name && LocalZone().named($0) != nil }
        return (
            "there is no time zone `\(name)` on this machine",
            near.map { "did you mean `\($0)`?" }
                ?? "timedatectl list-timezones; where there are none, install tzdata"
        )
    }

    private static func path(of name: String) -> String {
        let directory = getenv("TZDIR").map { String(cString: $0) } ?? ""
        return name.begins(with: "/")
            ? name : (directory.isEmpty ? "/usr/share/zoneinfo" : directory) + "/" + name
    }

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
        let file = open(path(of: name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
