// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A tree of public headers: the package's own, or a changed copy of it.
struct Headers {
    /// The package's own headers.
    static let own = Headers(
        includeDirectory: BuiltProducts.packageRoot + "/include", copy: nil)

    /// What a compiler gets with `-I`.
    let includeDirectory: String
    private let copy: TemporaryDirectory?

    private init(includeDirectory: String, copy: TemporaryDirectory?) {
        self.includeDirectory = includeDirectory
        self.copy = copy
    }

    /// Every header, as it is included: `curfew/host.h`.
    func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: includeDirectory + "/curfew")
            .filter { $0.hasSuffix(".h") }.map { "curfew/\($0)" }.sorted()
    }

    /// A C file that includes every header.
    func includingAll() throws -> String {
        try names().map { "#include <\($0)>\n" }.joined()
    }

    /// The text of a header.
    func source(of name: String) throws -> String {
        try String(contentsOfFile: "\(includeDirectory)/\(name)", encoding: .utf8)
    }

    /// The name of every macro that a header defines, for whichever compiler.
    func macros() throws -> [String] {
        try names().flatMap { name in
            try source(of: name).matches(of: /(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)/)
                .map { String($0.1) }
        }
    }

    /// A copy of the tree in which `old`, which must be there, is `new` in one header.
    func replacing(_ old: String, with new: String, in name: String) throws -> Headers {
        let source = try source(of: name)
        guard source.contains(old) else { throw Absent(text: old, header: name) }
        let directory = try TemporaryDirectory()
        for header in try names() { try directory.write(try self.source(of: header), to: header) }
        try directory.write(source.replacingOccurrences(of: old, with: new), to: name)
        return Headers(includeDirectory: directory.path, copy: directory)
    }

    /// A copy of the tree with more declarations at the end of `curfew/host.h`.
    func adding(_ declarations: String) throws -> Headers {
        let end = "\nCURFEW_END_DECLS"
        return try replacing(end, with: "\n\(declarations)\n\(end)", in: "curfew/host.h")
    }

    private struct Absent: Error, CustomStringConvertible {
        let text: String
        let header: String
        var description: String { "\(header) does not contain \"\(text)\"; adapt the test to it" }
    }
}
