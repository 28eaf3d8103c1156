// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Checks the manifest and the library's file; nothing is loaded.
extension ConformanceCase {
    /// The case that reports each fault of a manifest; the others belong to `manifest-parses`.
    private static let owners: [String: [ManifestRule]] = [
        "manifest-id": [.identifier, .version, .abi],
        "library-file": [.library, .pin],
        "handlers-declared": [
            .handlers, .kind, .duration, .concurrency, .event, .reservedEvent, .parameter,
            .requirement, .form, .isolation, .call, .function, .signature, .argument, .result,
            .command, .example,
        ],
        "manifest-no-duplicates": [.duplicateIdentifier, .duplicateEvent],
    ]

    private static func owner(ofRule rule: String) -> String {
        if rule == JSONRule.duplicateKey.rawValue { return "manifest-no-duplicates" }
        return owners.first { $0.value.contains { $0.rawValue == rule } }?.key ?? "manifest-parses"
    }

    private static func manifest(_ name: String) -> ConformanceCase {
        ConformanceCase(name, level: 1) { run in
            guard case .failure(let faults) = run.subject.manifest else { return }
            let own = faults.diagnostics.filter { owner(ofRule: $0.rule) == name }
            guard let first = own.first else { return }
            let place = first.line > 0 ? "line \(first.line), column \(first.column): " : ""
            throw CaseVerdict.fail(
                place + first.message,
                notes: own.dropFirst().prefix(9).map {
                    "line \($0.line), column \($0.column): \($0.message)"
                } + [first.help])
        }
    }

    /// The cases that every case about the library's file depends on.
    static let soundManifest = [
        "manifest-parses", "manifest-id", "library-file", "handlers-declared",
        "manifest-no-duplicates",
    ]
    static let soundFile = soundManifest + ["elf-ident", "abi-note"]

    /// The rule that the library breaks, if it is one of these.
    private static func check(_ run: CaseRun, _ isOwn: (BridgeError) -> Bool) throws {
        guard let problem = run.subject.libraryProblem(), isOwn(problem) else { return }
        throw CaseVerdict.fail(problem.message)
    }

    private static func isNote(_ error: BridgeError) -> Bool {
        [LoadRule.note.rawValue, LoadRule.abi.rawValue].contains(error.rule)
    }

    /// The functions that have others called at each fork.
    static let forkHooks = ["pthread_atfork", "__register_atfork"]

    static let files: [ConformanceCase] = [
        manifest("manifest-parses"),
        manifest("manifest-id"),
        ConformanceCase("library-file", level: 1) { run in
            if case .failure = run.subject.manifest {
                return try manifest("library-file").body(run)
            }
            let rules: [LoadRule] = [
                .file, .owner, .writable, .unstable, .link, .pin, .digest, .copy, .damaged, .trial,
            ]
            try check(run) { error in rules.contains { $0.rawValue == error.rule } }
        },
        manifest("handlers-declared"),
        manifest("manifest-no-duplicates"),
        ConformanceCase("elf-ident", level: 1, .library, needs: soundManifest) { run in
            guard case .failure(let fault) = run.subject.elf, fault != .noNote else { return }
            throw CaseVerdict.fail(
                "\(try run.manifest.library ?? "") \(fault.message)", notes: [fault.help])
        },
        ConformanceCase("abi-note", level: 1, .library, needs: soundManifest + ["elf-ident"]) {
            run in
            try check(run, isNote)
        },
        ConformanceCase("exports-minimal", level: 1, .entry, needs: soundFile) { run in
            let handlers = try run.manifest.handlers
            guard handlers.allSatisfy({ $0.form == .entry }) else {
                throw CaseVerdict.skip("its other handlers are made of exported functions")
            }
            let allowed = ["curfew_plugin_entry", "_init", "_fini"]
            let facts = try run.subject.facts
            let weak = Set(facts?.weakExportedNames ?? [])
            let others = (facts?.exportedNames ?? []).filter {
                // Headers of the C++ library export instances of its templates, hidden or not.
                !allowed.contains($0) && !(weak.contains($0) && StandardLibraryName.isOne($0))
            }
            guard let first = others.first else { return }
            throw CaseVerdict.fail(
                "it exports \(others.count == 1 ? first : "\(others.count) names besides curfew_plugin_entry")",
                notes: (others.count > 1 ? others.prefix(20).map { "exported: \($0)" } : [])
                    + [
                        "link with a version script that has { global: curfew_plugin_entry; local: *; };"
                    ])
        },
        ConformanceCase("needed-allowed", level: 1, .library, needs: soundFile) { run in
            guard let elf = try run.subject.facts else { return }
            if let own = elf.needed.first(where: {
                $0.hasPrefix("libcurfew") || $0 == "libCurfewHost.so"
            }) {
                throw CaseVerdict.fail(
                    "it links \(own); all it calls is in the table that it is given")
            }
            let rules: [LoadRule] = [.search, .beside, .needed]
            try check(run) { error in rules.contains { $0.rawValue == error.rule } }
            if elf.needed.contains(where: { $0.hasPrefix("libswift") }) {
                run.warn(
                    "it takes the Swift runtime from the machine: link it with -static-stdlib, or it runs only where the same version is installed"
                )
            }
        },
        ConformanceCase("elf-hardening", level: 1, .library, needs: soundFile) { run in
            guard let elf = try run.subject.facts else { return }
            if elf.hasTextRelocations {
                throw CaseVerdict.fail(
                    "it has text relocations: its code is written to while it is loaded")
            }
            if elf.wantsExecutableStack {
                throw CaseVerdict.fail(
                    "it asks for an executable stack, which the whole process would get")
            }
            if elf.hasStaticTLS {
                run.warn(
                    "its thread-local variables take room that only a few libraries can have (-ftls-model)"
                )
            }
        },
        ConformanceCase("entry-present", level: 1, .library, needs: soundFile) { run in
            let rules: [LoadRule] = [.symbol, .sub, .function]
            try check(run) { error in rules.contains { $0.rawValue == error.rule } }
        },
        ConformanceCase("fork-hooks", level: 1, .library, needs: soundFile) { run in
            let imports = try run.subject.facts?.imports ?? []
            if let hook = imports.first(where: forkHooks.contains) {
                run.warn(
                    "it uses \(hook): what it registers stays when it is retired, and runs in every fork of the host"
                )
            }
        },
    ]
}
