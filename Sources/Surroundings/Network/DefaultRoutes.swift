// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// The interfaces that lead everywhere, from the kernel's tables of routes.
enum DefaultRoutes {
    /// Flags of linux/route.h.
    private static let up: UInt32 = 0x1
    private static let reject: UInt32 = 0x200

    /// Returns the interfaces of the default routes in /proc/net/route: a line of words for each
    /// route; the first line has the names of the columns.
    static func ofIPv4(_ text: String) -> [String] {
        lines(text).dropFirst().compactMap { words in
            guard words.count >= 8, UInt32(words[1], radix: 16) == 0,
                UInt32(words[7], radix: 16) == 0, isUsable(words[3])
            else { return nil }
            return interface(words[0])
        }
    }

    /// Returns the interfaces of the default routes in /proc/net/ipv6_route: destination, its
    /// length, source, its length, next hop, metric, two counters, flags, interface.
    static func ofIPv6(_ text: String) -> [String] {
        lines(text).compactMap { words in
            guard words.count == 10, words[0].utf8.count == 32,
                words[0].utf8.allSatisfy({ $0 == UInt8(ascii: "0") }),
                UInt8(words[1], radix: 16) == 0, isUsable(words[8])
            else { return nil }
            return interface(words[9])
        }
    }

    private static func lines(_ text: String) -> [[Substring]] {
        text.parts(at: "\n").map { line in
            line.unicodeScalars.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(
                Substring.init)
        }
    }

    private static func isUsable(_ flags: Substring) -> Bool {
        guard let flags = UInt32(flags, radix: 16) else { return false }
        return flags & up != 0 && flags & reject == 0
    }

    /// A name that an interface can have, and that of loopback is none of ours.
    private static func interface(_ name: Substring) -> String? {
        guard name != "lo", name != ".", name != "..", name.utf8.count <= 15,
            !name.utf8.contains(UInt8(ascii: "/"))
        else { return nil }
        return String(name)
    }
}
