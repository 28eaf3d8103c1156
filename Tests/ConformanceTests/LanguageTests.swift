// SPDX-License-Identifier: Apache-2.0
import Conformance
import Foundation
import TestSupport
import Testing

@Suite("Plugins in other languages keep the contract")
struct LanguageTests {
    static let isRustThere = isThere("rustc")
    static let isAssemblyOurs: Bool = {
        #if arch(x86_64)
            true
        #else
            false
        #endif
    }()

    private static func isThere(_ program: String) -> Bool {
        (ConformRun.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    @Test("C++, and assembly where it is written for this machine")
    func native() {
        let wrong = InPairs.faults(["cpp"] + (Self.isAssemblyOurs ? ["assembly"] : [])) {
            try passes($0)
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    @Test("Rust", .enabled(if: isRustThere, "there is no rustc in PATH"))
    func rust() throws { try passes("rust") }

    private func passes(_ language: String) throws {
        let run = try ConformRun(
            [BuiltProducts.testPluginDirectory("languages/\(language)")],
            ["--level", WholeMatrix.level])
        #expect(run.code == 0, "\(run.process)")
        #expect(run.cases.count == ConformanceCase.all.count { "\($0.level)" <= WholeMatrix.level })
        let skips = run.cases.filter { $0.status == "skip" }
        #expect(run.all(.pass).count + skips.count == run.cases.count, "\(run.remarks)")
        // It has no fault that others would need not to be there.
        #expect(skips.allSatisfy { !$0.text.isEmpty && !$0.text.hasPrefix("needs ") })
        #expect(skips.count <= 5, "\(skips.map { "\($0.name): \($0.text)" })")
    }
}
