// SPDX-License-Identifier: Apache-2.0
import Foundation
import PluginBridge
import TestSupport
import Testing

@Suite("The table of violations")
struct ViolationTableTests {
    private static let directory = BuiltProducts.packageRoot + "/Tests/Plugins/violations"

    @Test("is the one in the documentation")
    func documented() throws {
        try ViolationDocument.updateIfAsked()
        let found = try String(contentsOfFile: ViolationDocument.path, encoding: .utf8)
        let isCurrent = found == ViolationDocument.text
        #expect(
            isCurrent,
            """
            Tests/Plugins/README.md is not what the table says; write it again and commit it: \
            CURFEW_UPDATE_MISDEEDS=1 swift test --filter ViolationTests
            """)
    }

    @Test("has a row for every directory, and a directory for every row")
    func complete() throws {
        var isDirectory: ObjCBool = false
        let directories = try FileManager.default.contentsOfDirectory(atPath: Self.directory)
            .filter {
                FileManager.default.fileExists(
                    atPath: "\(Self.directory)/\($0)", isDirectory: &isDirectory)
                    && isDirectory.boolValue
            }
        #expect(Violation.all.map(\.name).sorted() == directories.sorted())
        #expect(directories.count > 40)
    }

    @Test("says of each plugin in which language it is", arguments: Violation.all.map(\.name))
    func language(name: String) throws {
        let violation = try #require(Violation.all.first { $0.name == name })
        let files = try FileManager.default.contentsOfDirectory(
            atPath: "\(Self.directory)/\(name)")
        #expect(files.contains("manifest.json"))
        #expect(files.contains { $0.hasSuffix(".swift") } == (violation.language == .swift))
        #expect(files.contains("\(name).c") == (violation.language == .c))
        #expect(files.contains("\(name).cpp") == (violation.language == .cpp))
    }

    @Test("launches the tasks of others in every run")
    func others() {
        for form in ViolationForm.all {
            #expect(form.run.script.contains { $0.hasPrefix("tasks org.curfew.test.good") })
        }
    }
}
