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
    /// The library, version or symbol that is missing, so that no host can load the plugin; nil if nothing is.
    /// Worded to follow the library's name.
    package let lack: String?

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
        if let runtime = (try? subject.facts).flatMap(Self.sanitizer),
            let tested = ConformanceCase.named("no-races")
        {
            findings.append(
                Finding(
                    tested: tested,
                    verdict: CaseVerdict(
                        .warn,
                        "it is linked with a sanitizer's runtime, \(runtime), which has to be loaded before the host: only the kit does that, and no host; ship a build without -fsanitize"
                    )))
        }
        let symbols = Self.symbols(subject)
        lack = symbols.flatMap(Self.lack)
        if let symbols, !symbols.isKnown, let tested = ConformanceCase.named("symbols-resolve") {
            findings.append(
                Finding(
                    tested: tested,
                    verdict: CaseVerdict(
                        .warn,
                        "it may need symbols that nothing defines: that cannot be looked at where its path has a blank, a colon or a dollar"
                    )))
        }
        self.findings = findings
    }

    /// Returns the runtime of GCC's or clang's sanitizers that a library needs, of those that refuse to be
    /// loaded by dlopen.
    private static func sanitizer(of facts: ELFFacts) -> String? {
        facts.needed.first { name in
            ["libasan.so", "libhwasan.so", "liblsan.so", "libtsan.so"].contains {
                name.begins(with: $0)
            }
        }
    }

    /// Asks the loader what the library would miss; the case itself loads it to learn that.
    private static func symbols(_ subject: Subject) -> MissingSymbols? {
        subject.libraryPath.map(MissingSymbols.init(of:))
    }

    private static func lack(_ missing: MissingSymbols) -> String? {
        func others(_ all: [String]) -> String {
            all.count > 1 ? " (and \(all.count - 1) more)" : ""
        }
        if let first = missing.libraries.first {
            return
                "needs \(first)\(others(missing.libraries)), which this machine does not have, so no host here loads it"
        }
        if let first = missing.versions.first {
            return
                "needs \(first)\(others(missing.versions)), and this machine has another one, so no host here loads it"
        }
        return missing.symbols.first.map {
            "needs the symbol \($0)\(others(missing.symbols)), which no library that it names defines, so no host loads it"
        }
    }
}
