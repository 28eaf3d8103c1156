// SPDX-License-Identifier: Apache-2.0

/// The target of a request in origin form, RFC 9112 section 3.2.1: `/v1/requests?limit=10`.
package struct HTTPTarget: Hashable, Sendable {
    /// The parts between slashes, decoded once. Compare them byte by byte.
    package let path: [String]
    /// The pairs of the query, decoded once, in order.
    package let query: [(name: String, value: String)]

    /// Returns nil if the target is in another form, or its decoding is no UTF-8 or has a control character.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            return nil
        }
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var path: [String] = []
        for part in bytes[1..<end].split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            guard let decoded = Self.decoded(part, plusIsBlank: false) else { return nil }
            path.append(decoded)
        }
        var query: [(name: String, value: String)] = []
        if end < bytes.endIndex {
            for pair in bytes[(end + 1)...].split(separator: UInt8(ascii: "&")) {
                let middle = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
                guard let name = Self.decoded(pair[..<middle], plusIsBlank: true),
                    let value = Self.decoded(pair[middle...].dropFirst(), plusIsBlank: true)
                else { return nil }
                query.append((name, value))
            }
        }
        self.path = path
        self.query = query
    }

    /// Decodes percent signs in printable ASCII.
    private static func decoded(_ bytes: ArraySlice<UInt8>, plusIsBlank: Bool) -> String? {
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard index + 1 < bytes.endIndex, let high = digit(bytes[index]),
                    let low = digit(bytes[index + 1])
                else { return nil }
                byte = high << 4 | low
                index += 2
            } else if byte == UInt8(ascii: "+"), plusIsBlank {
                byte = UInt8(ascii: " ")
            }
            guard byte >= 0x20, byte != 0x7f else { return nil }
            result.append(byte)
        }
        return String(validating: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    package static func == (left: HTTPTarget, right: HTTPTarget) -> Bool {
        left.path == right.path
            && left.query.elementsEqual(right.query) { $0.name == $1.name && $0.value == $1.value }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
