// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The pages that `Documentation/site/headers.py` makes of a tree of headers, for Sphinx.
struct ReferencePages {
    /// Making the pages. Its standard error names the mistakes in the headers.
    let making: ChildProcess
    private let directory: TemporaryDirectory

    init(of headers: Headers) throws {
        directory = try TemporaryDirectory()
        let script = "\(BuiltProducts.packageRoot)/Documentation/site/headers.py"
        // Debian's Python has Debian's clang module.
        making = try ChildProcess.run(
            "/usr/bin/python3", ["-B", script, headers.includeDirectory, directory.path])
    }

    /// The page of `curfew/ext/thread-check.h`.
    func page(ofHeader name: String) throws -> String {
        String(decoding: try directory.read("\(name.dropLast(".h".count)).rst"), as: UTF8.self)
    }

    /// The names that a page declares, members as `structure.member`, and what stands below each.
    static func sections(of page: String) -> [(name: String, text: String)] {
        var sections: [(name: String, indent: Int, text: String)] = []
        var open: [Int] = []  // those that a line can belong to
        var structure = ""
        for line in page.components(separatedBy: "\n") where !line.isEmpty {
            let indent = line.prefix { $0 == " " }.count
            open.removeAll { sections[$0].indent >= indent }
            if let directive = line.firstMatch(of: /^ *\.\. c:(\w+):: (.+)$/) {
                var name = declared(String(directive.2))
                if directive.1 == "struct" { structure = name }
                if directive.1 == "member" { name = "\(structure).\(name)" }
                open.append(sections.count)
                sections.append((name, indent, ""))
            } else {
                for index in open { sections[index].text += line + "\n" }
            }
        }
        return sections.map { ($0.name, $0.text) }
    }

    /// The name in a declaration of C.
    private static func declared(_ text: String) -> String {
        let patterns = [/\(\*(\w+)\)/, /(\w+)\(/, /(\w+)(?:\[\w*\])?(?: = .*)?$/]
        return patterns.lazy.compactMap { text.firstMatch(of: $0) }.first.map { String($0.1) } ?? ""
    }

    /// The words of a page as they are read, with one space between two.
    static func words(of page: some StringProtocol) -> String {
        let links = /:\w+(?::\w+)?:`([^`<]+) <[^`]*>`/
        return words(
            in: String(page).replacing("\\", with: "").replacing(links) { $0.1 })
    }

    /// The words of a text: neither signs, capitals nor the layout count.
    static func words(in text: some StringProtocol) -> String {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.joined(separator: " ")
    }
}
