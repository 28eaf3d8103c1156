// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `Tests/README.md` says what each folder of tests is for.
@Suite("The README of the tests")
struct TestsReadmeTests {
    @Test("It has a row for each folder, and for nothing else")
    func folders() throws {
        let tests = BuiltProducts.packageRoot + "/Tests"
        let text = try String(contentsOfFile: tests + "/README.md", encoding: .utf8)
        let rows = text.matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.1) }
        let folders = try FileManager.default.contentsOfDirectory(
            at: URL(fileURLWithPath: tests), includingPropertiesForKeys: [.isDirectoryKey]
        ).filter(\.hasDirectoryPath).map(\.lastPathComponent)
        #expect(rows.sorted() == folders.sorted())
    }
}
