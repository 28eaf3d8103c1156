// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The pages that `Documentation/site` makes of a tree of headers.
struct ReferencePages {
    /// How making them ended; what is wrong with the headers is told on standard error.
    let making: ChildProcess
    private let directory: TemporaryDirectory

    init(of headers: Headers) throws {
        directory = try TemporaryDirectory()
        let script = "\(BuiltProducts.packageRoot)/Documentation/site/build.py"
        making = try ChildProcess.run(
            "python3",
            [
                "-B", script, "--include", headers.includeDirectory, "--output", directory.path,
            ])
    }

    /// The names of all pages, `reference/host.html`.
    func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".html") }
    }

    /// A page, or a file beside them.
    func isThere(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: directory.path(name))
    }

    func page(_ name: String) throws -> String {
        String(decoding: try directory.read(name), as: UTF8.self)
    }

    /// The page of `curfew/ext/thread-check.h`.
    func page(ofHeader name: String) throws -> String {
        let base = name.dropFirst("curfew/".count).dropLast(".h".count)
        return try page("reference/\(base.replacingOccurrences(of: "/", with: "-")).html")
    }

    /// The places of a page that can be linked to.
    static func places(in page: String) -> [String] {
        page.matches(of: /\bid="([^"]+)"/).map { String($0.1) }
    }

    /// What stands on a page under a name, up to the end of its declaration.
    static func section(_ name: String, in page: String) -> Substring? {
        guard let start = page.range(of: "id=\"\(name)\">") else { return nil }
        let rest = page[start.upperBound...]
        return rest[..<(rest.range(of: "</section>")?.lowerBound ?? rest.endIndex)]
    }

    /// The words of a page as they are read, with one space between two.
    static func words(of html: some StringProtocol) -> String {
        let text = String(html).replacing(/<[^>]*>/, with: " ")
            .replacingOccurrences(of: "&lt;", with: "<")
            .replacingOccurrences(of: "&gt;", with: ">")
            .replacingOccurrences(of: "&quot;", with: "\"")
            .replacingOccurrences(of: "&amp;", with: "&")
        return words(in: text)
    }

    /// The words of a text: neither signs nor the layout count.
    static func words(in text: some StringProtocol) -> String {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.joined(separator: " ")
    }
}
