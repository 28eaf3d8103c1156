// SPDX-License-Identifier: Apache-2.0
import Conformance
import Foundation
import TestSupport
import Testing

@Suite("Each case can fail")
struct TwinTests {
    /// What a plugin without a fault has nothing for.
    static let skipped = ["reentrancy", "no-races", "no-memory"]

    @Test("each case has a twin, and each twin is one of a case")
    func paired() throws {
        let twins = try Twin.all()
        let tested = Set(twins.map(\.tested))
        #expect(ConformanceCase.all.map(\.name).filter { !tested.contains($0) } == [])
        #expect(twins.map(\.tested).filter { ConformanceCase.named($0) == nil } == [])
        // The first of several goes by the bare name.
        #expect(tested.filter { name in !twins.contains { $0.name == name } } == [])
    }

    @Test("each file beside the twins belongs to one, and each twin was built")
    func complete() throws {
        let names = Set(try Twin.all().map(\.name) + [Twin.good])
        let files = try FileManager.default.contentsOfDirectory(atPath: Twin.sources)
        let common = ["build.sh", "manifest.json", "twin.h", "handed-job.h"]
        let stray = files.filter { file in
            let name = String(file[..<(file.lastIndex(of: ".") ?? file.endIndex)])
            return !common.contains(file) && !names.contains(name)
        }
        #expect(stray == [])
        for name in names.sorted() {
            for file in ["manifest.json", "libtwin.so"] {
                let path = BuiltProducts.testPluginDirectory("twins/\(name)/\(file)")
                #expect(
                    FileManager.default.fileExists(atPath: path), "\(path): make test-plugins")
            }
        }
    }

    @Test("the plugin without a fault passes every case, and each twin fails its own")
    func failing() throws {
        let good = try Twin(name: Twin.good)
        // Of several twins of a case the first one; the others show that it fails in more than one way.
        let twins = try Twin.all().filter { WholeMatrix.isWanted || $0.name == $0.tested }
        #expect(twins.count >= ConformanceCase.all.count)
        // What may take longest first: those that wait for a limit, and the one that passes all.
        let sorted = twins.sorted {
            (ConformanceCase.named($0.tested)?.limit ?? 0)
                > (ConformanceCase.named($1.tested)?.limit ?? 0)
        }
        let wrong = InPairs.map([good] + sorted) { twin -> String? in
            do {
                return twin.name == Twin.good
                    ? try Self.fault(ofGood: twin) : try Self.fault(of: twin)
            } catch {
                return "\(twin.name): \(error)"
            }
        }.compactMap(\.self)
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    private static func fault(ofGood twin: Twin) throws -> String? {
        let run = try ConformRun([twin.directory], ["--level", "3"])
        let skipped = run.all(.skip)
        let isWhole = run.cases.map(\.name) == ConformanceCase.all.map(\.name)
        guard run.code == 0, isWhole, skipped == Self.skipped,
            run.all(.pass).count + skipped.count == run.cases.count
        else {
            return "good: left with \(run.code ?? -1), skipped \(skipped)\n\(run.remarks)"
        }
        return nil
    }

    private static func fault(of twin: Twin) throws -> String? {
        let run = try ConformRun(twin.directory, only: twin.tested)
        // A warning is no failure; another ABI has a code of its own.
        let codes: [Int32] = twin.status == .warn ? [0] : [1, 4]
        guard let found = run.status(twin.tested), found == twin.status.rawValue,
            codes.contains(run.code ?? -1), run.text(twin.tested) != ""
        else {
            return """
                \(twin.name): is to be \(twin.status.rawValue), and is \
                \(run.status(twin.tested) ?? "not there"), left with \(run.code ?? -1): \
                \(run.text(twin.tested) ?? "")
                """
        }
        return nil
    }
}
