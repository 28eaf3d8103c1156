// SPDX-License-Identifier: Apache-2.0
import Conformance
import TestSupport
import Testing

@Suite("Each twin fails its own case and nothing else")
struct WholeMatrixTests {
    @Test(
        "in all cases of its level",
        .enabled(if: WholeMatrix.isWanted, Comment(rawValue: WholeMatrix.reason)))
    func nothingElse() throws {
        let twins = try Twin.all()
        // The cases of level 3 take half a minute: those whose own case is among them have them, and
        // every tenth of the others.
        let levels = twins.enumerated().map { index, twin in
            (twin, ConformanceCase.named(twin.tested)?.level == 3 || index % 10 == 0 ? 3 : 2)
        }
        let wrong = InPairs.map(levels) { twin, level -> String? in
            do {
                return try Self.fault(of: twin, level)
            } catch {
                return "\(twin.name): \(error)"
            }
        }.compactMap(\.self)
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    private static func fault(of twin: Twin, _ level: Int) throws -> String? {
        let run = try ConformRun([twin.directory], ["--level", "\(level)"])
        let others = run.cases.filter { result in
            switch CaseStatus(rawValue: result.status) {
            case .pass, .skip: false
            case .warn: result.name != twin.tested && !twin.warned.contains(result.name)
            default: result.name != twin.tested
            }
        }
        // A warning that no longer comes is no longer declared.
        let missing = twin.warned.filter { run.status($0) != CaseStatus.warn.rawValue }
        guard run.status(twin.tested) == twin.status.rawValue, others.isEmpty, missing.isEmpty
        else {
            return """
                \(twin.name), level \(level): is to be \(twin.status.rawValue) in its own case, \
                \(run.status(twin.tested) ?? "not there")\(missing.map { ", no warning of \($0)" }.joined())
                \(run.remarks)
                """
        }
        return nil
    }
}
