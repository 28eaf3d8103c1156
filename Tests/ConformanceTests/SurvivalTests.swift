// SPDX-License-Identifier: Apache-2.0
import Conformance
import TestSupport
import Testing

@Suite("Nothing that a plugin does harms the kit")
struct SurvivalTests {
    /// What is tried every time, some of each sort; the rest takes minutes.
    private static let some: [(Harm, HarmPhase)] =
        ([("stops its process", HarmPhase.retire)]
        + [
            "aborts", "kills its group", "kills the process that watches it",
            "joins the kit's group and kills that",
            "closes all descriptors", "forges what the kit is told",
            "leaves children in sessions of their own",
            "puts a link in the place of its working directory", "takes away all limits' room",
        ].map { ($0, HarmPhase.run) }).map { name, phase in
            guard let harm = Harm.all.first(where: { $0.name == name }) else {
                fatalError("there is no harm called \(name)")
            }
            return (harm, phase)
        }

    @Test("where it matters most")
    func survivesSome() { Self.survives(Self.some) }

    @Test(
        "in every phase",
        .enabled(if: WholeMatrix.isWanted, Comment(rawValue: WholeMatrix.reason)))
    func survivesAll() {
        Self.survives(
            Harm.all.flatMap { harm in
                harm.phases.map { (harm, $0) }
                    .filter { one in
                        !Self.some.contains { $0.0.name == one.0.name && $0.1 == one.1 }
                    }
            })
    }

    private static func survives(_ harms: [(Harm, HarmPhase)]) {
        let wrong = InPairs.map(harms) { harm, phase -> String? in
            do {
                return try fault(of: harm, phase).map { "\(harm.name) \(phase): \($0)" }
            } catch {
                return "\(harm.name) \(phase): \(error)"
            }
        }.compactMap(\.self)
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }

    private static func fault(of harm: Harm, _ phase: HarmPhase) throws -> String? {
        let plugin = try HarmfulPlugin(harm.body, phase)
        let watch = try Surveillance()
        let run = try ConformRun(
            [plugin.directory], HarmPhase.everyCase.flatMap { ["--only", $0] },
            environment: watch.environment, limit: .seconds(150))
        let residue = watch.residue
        guard residue.isEmpty else { return "left behind: \(residue.joined(separator: "; "))" }
        guard Set(run.cases.map(\.name)) == Set(HarmPhase.everyCase),
            run.status("manifest-parses") == CaseStatus.pass.rawValue
        else { return "not every case came to its turn: \(run.remarks)" }
        let failed = run.cases.filter {
            CaseStatus(rawValue: $0.status).map(\.isFailure) ?? true
        }
        guard run.code == (failed.isEmpty ? 0 : 1) else {
            return "left with \(run.process)\n\(run.remarks)"
        }
        if harm.seen.contains(phase), !failed.contains(where: { phase.cases.contains($0.name) }) {
            return "no case saw it\n\(run.remarks)"
        }
        return nil
    }
}
