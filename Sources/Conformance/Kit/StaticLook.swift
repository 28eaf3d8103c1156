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
        self.findings = findings
    }
}
