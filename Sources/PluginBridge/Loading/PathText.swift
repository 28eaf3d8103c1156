// SPDX-License-Identifier: Apache-2.0

/// Paths as the kernel and the loader read them: byte by byte.
///
/// Splits paths at bytes. Swift compares and splits texts by characters as readers see them: a
/// slash with a combining accent would be no slash, while the kernel sees one, and the checked path
/// would not be the opened one.
enum PathText {
    static let slash = UInt8(ascii: "/")

    static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }

    static func hasSlash(_ name: String) -> Bool { name.utf8.contains(slash) }

    /// Splits at every separator byte; the parts are unchanged.
    static func split(_ text: String, at separator: Unicode.Scalar, keepingEmpty: Bool = false)
        -> [String]
    {
        text.utf8.split(
            separator: UInt8(ascii: separator), omittingEmptySubsequences: !keepingEmpty
        ).map { String($0)! }
    }

    /// The names of a path, without those that lead nowhere.
    static func components(_ path: String) -> [String] {
        split(path, at: "/").filter { !$0.utf8.elementsEqual(".".utf8) }
    }

    /// All before the last slash: the directory of an absolute path.
    static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: slash), slash > path.startIndex else {
            return "/"
        }
        return String(path.utf8[..<slash])!
    }

    static func hasPrefix(_ text: String, _ prefix: String) -> Bool {
        text.utf8.starts(with: prefix.utf8)
    }
}
