// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// What the kit finds in the file of a library, without running any code: what `curfew lint` tells too.
package struct StaticLook {
    /// A case that did not pass, and its text.
    package struct Finding {
        package let tested: ConformanceCase
        package let verdict: CaseVerdict
    }

    package let findings: [Finding]

    /// The cases about what a library offers, asks for and uses; the others are about the manifest, or
    /// are what every host looks at.
    private static let names = ["exports-minimal", "elf-hardening", "fork-hooks"]

    package init(directory: String) {
        let subject = Subject(directory: directory)
        var findings: [Finding] = []
        for tested in ConformanceCase.files where Self.names.contains(tested.name) {
            guard subject.reasonToSkip(tested.scope) == nil else { continue }
            let run = CaseRun(
                subject, seed: 0, isReproducing: false, .thread, LogPipe(withoutReader: ()))
            let verdict = run.verdict(tested.body)
            if verdict.status.isFailure || verdict.status == .warn {
                findings.append(Finding(tested: tested, verdict: verdict))
            }
        }
        if let missing = Self.missing(subject) { findings.append(missing) }
        self.findings = findings
    }

    /// Returns the reason why the loader would refuse the library. The case itself loads it to learn that.
    private static func missing(_ subject: Subject) -> Finding? {
        guard let tested = ConformanceCase.named("symbols-resolve"),
            subject.reasonToSkip(tested.scope) == nil, let library = subject.libraryPath
        else { return nil }
        let missing = MissingSymbols(of: library)
        guard missing.isKnown else {
            return Finding(
                tested: tested,
                verdict: CaseVerdict(
                    .warn,
                    "it may need symbols that nothing defines: that cannot be looked at where its path has a blank, a colon or a dollar"
                ))
        }
        func others(_ all: [String]) -> String {
            all.count > 1 ? " (and \(all.count - 1) more)" : ""
        }
        let what =
            if let first = missing.libraries.first {
                "it needs \(first)\(others(missing.libraries)), which this machine does not have, so no host here loads it"
            } else if let first = missing.versions.first {
                "it needs \(first)\(others(missing.versions)), and this machine has another one, so no host here loads it"
            } else if let first = missing.symbols.first {
                "it needs the symbol \(first)\(others(missing.symbols)), which no library that it names defines, so no host loads it"
            } else {
                ""
            }
        guard !what.isEmpty else { return nil }
        return Finding(tested: tested, verdict: .fail(what))
    }
}
