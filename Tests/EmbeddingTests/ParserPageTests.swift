// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Documentation/hand-written-parsers.md")
struct ParserPageTests {
    private static let root = BuiltProducts.packageRoot
    private let page: String

    init() throws {
        page = try String(
            contentsOfFile: "\(Self.root)/Documentation/hand-written-parsers.md", encoding: .utf8)
    }

    @Test("It names each file that is a parser by its name or folder, or the whole folder")
    func files() throws {
        let names = try #require(FileManager.default.enumerator(atPath: "\(Self.root)/Sources"))
            .compactMap { $0 as? String }
        let parsers = names.filter {
            $0.contains(/\/ELF\/\w+\.swift$|(Reader|[^t]Words|Cache|Tags)(\+\w+)?\.swift$/)
                || $0.contains(
                    /\/(Cron(Field|Schedule)|FaultPage|ManifestDuration)\.swift$|curfew\/.*Argument\.swift$/
                )
        }
        #expect(parsers.count > 30)
        for parser in parsers {
            let path = "Sources/\(parser)"
            let folder = (path as NSString).deletingLastPathComponent
            let file = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
            #expect(page.contains("`\(file)`") || page.contains("`\(folder)`"), "\(path)")
        }
    }

    @Test("Each file and each test that it names is there")
    func names() throws {
        let sources = try #require(FileManager.default.enumerator(atPath: "\(Self.root)/Sources"))
            .compactMap { ($0 as? String).map { ($0 as NSString).lastPathComponent } }
        for name in page.matches(of: /`([A-Z]\w+(?:\+\w+)?)`/) {
            #expect(sources.contains("\(name.1).swift"), "\(name.1)")
        }
        let tests = page.matches(of: /`(\w+Tests)\.(\w+Tests)\/(\w+)\(/)
        #expect(tests.count > 10)
        for test in tests {
            let file = "\(Self.root)/Tests/\(test.1)/\(test.2).swift"
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            #expect(text.contains("func \(test.3)("), "\(test.0)")
        }
    }
}
