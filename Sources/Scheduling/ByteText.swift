// SPDX-License-Identifier: Apache-2.0

/// Text functions that compare bytes, as the kernel, the loader and other programs do.
///
/// A `Character` is a grapheme cluster (UAX #29): a "/" with a combining mark after it, and "\r\n",
/// are one each, so that `split`, `hasPrefix` and `firstIndex(of:)` miss a separator at which
/// path_resolution(7) or proc(5) splits.
extension StringProtocol {
    /// Returns the parts between the occurrences of an ASCII byte.
    package func parts(
        at separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmpty: Bool = true
    ) -> [Substring] {
        Substring(self).utf8.split(
            separator: UInt8(ascii: separator), maxSplits: maxSplits,
            omittingEmptySubsequences: omittingEmpty
        ).map { Substring($0) }
    }

    /// Returns whether its first bytes are those of another text.
    package func begins(with text: String) -> Bool { utf8.starts(with: text.utf8) }

    /// Returns whether its last bytes are those of another text.
    package func ends(with text: String) -> Bool {
        utf8.reversed().starts(with: text.utf8.reversed())
    }

    /// Returns the path of an entry in the directory with this path.
    package func appending(component name: String) -> String {
        ends(with: "/") ? self + name : self + "/" + name
    }
}

extension String {
    /// Returns the longest prefix of whole scalars that has at most the given number of bytes.
    package func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
