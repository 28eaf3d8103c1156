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
    /// Whether these are the package's own headers, and no changed copy.
    var isOwn: Bool { copy == nil }

    private init(includeDirectory: String, copy: TemporaryDirectory?) {
        self.includeDirectory = includeDirectory
        self.copy = copy
    }

    /// Every header, as it is included: `curfew/host.h`. Those of subdirectories come last: they
    /// include others as `../types.h`, and the first inclusion names a declaration's place.
    func names() throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: includeDirectory + "/curfew"
        ).filter { $0.hasSuffix(".h") }.map { "curfew/\($0)" }.sorted()
        let isDeep = { (name: String) in name.split(separator: "/").count > 2 }
        return names.filter { !isDeep($0) } + names.filter(isDeep)
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

    /// A copy of the tree in which `old` is `new` in one header: in the first one that has it.
    func replacing(_ old: String, with new: String, in name: String? = nil) throws -> Headers {
        let directory = try TemporaryDirectory()
        for header in try names() { try directory.write(try source(of: header), to: header) }
        let headers = try name.map { [$0] } ?? names()
        guard let header = try headers.first(where: { try source(of: $0).contains(old) }) else {
            throw TestFault(text: "no header contains \"\(old)\"; adapt the test to them")
        }
        let changed = try source(of: header).replacingOccurrences(of: old, with: new)
        try directory.write(changed, to: header)
        return Headers(includeDirectory: directory.path, copy: directory)
    }

    /// A copy of the tree with more declarations at the end of one header.
    func adding(_ declarations: String) throws -> Headers {
        let end = "\nCURFEW_END_DECLS"
        return try replacing(end, with: "\n\(declarations)\n\(end)", in: "curfew/host.h")
    }
}
