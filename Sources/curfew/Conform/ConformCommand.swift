// SPDX-License-Identifier: Apache-2.0
import CSystem
import Conformance
import Glibc
import PluginBridge
import Runner
import Scheduling

/// `curfew conform`
enum ConformCommand {
    static let levelOption = CommandOption(
        name: "level", value: "N", sort: .words(["1", "2", "3"]),
        summary: "1: loads and registers; 2: does each thing once; 3: races, leaks, fuzzing")
    static let onlyOption = CommandOption(
        name: "only", value: "CASE", sort: .conformanceCase, isRepeated: true,
        summary: "run only these cases, of any level; * matches any letters")
    static let excludeOption = CommandOption(
        name: "exclude", value: "CASE", sort: .conformanceCase, isRepeated: true,
        summary: "omit these cases")
    static let repeatOption = CommandOption(
        name: "repeat", value: "N", summary: "run everything N times, each with its own seed")
    static let seedOption = CommandOption(
        name: "seed", value: "N", summary: "the seed of random choices, to repeat a run")
    static let reproduceOption = CommandOption(
        name: "reproduce", value: "N", summary: "repeat the one fuzzing trial with this seed")
    static let chaosOption = CommandOption(
        name: "chaos", summary: "run the case chaos alone; --reproduce repeats it")
    static let inProcessOption = CommandOption(
        name: "in-process", summary: "run in this process, for a debugger; needs --only CASE")
    static let isolationOption = CommandOption(
        name: "isolation", value: "WORD", sort: .words(["thread", "process", "both"]),
        summary: "where the plugin's code runs: thread, process, or both (default)")
    static let timeOption = CommandOption(
        name: "time", value: "SPAN",
        summary: "take about so long for each plugin, with fewer examples and cases")
    static let listOption = CommandOption(
        name: "list", summary: "list the cases, and run none")
    static let junitOption = CommandOption(
        name: "junit", value: "FILE", sort: .file, summary: "write a report in JUnit's XML")
    static let tapOption = CommandOption(
        name: "tap", value: "FILE", sort: .file, summary: "write a report in TAP 14")
    static let sarifOption = CommandOption(
        name: "sarif", value: "FILE", sort: .file,
        summary: "write what was found in SARIF 2.1.0, for code hosts")
    static let badgeOption = CommandOption(
        name: "badge", value: "FILE", sort: .file,
        summary: "write the summary as JSON for a badge of shields.io")

    static let command = Command(
        name: "conform", summary: "test a plugin against the contract",
        operands: "[PATH…]", operandCount: 0...1_000, operandSort: .plugin,
        options: [
            levelOption, onlyOption, excludeOption, repeatOption, seedOption, reproduceOption,
            chaosOption, timeOption, isolationOption, inProcessOption, listOption, junitOption,
            tapOption, sarifOption, badgeOption, .json,
        ],
        details: [
            """
            PATH is the directory of a plugin, or its manifest or library. Each case checks
            one rule of the contract in a child process, which is killed after a time limit
            with every process that it started. The kit needs only the plugin's files, so
            the plugin may be written in any language. A signal ends the case that runs; what
            is known then is told, also in the files that were asked for.
            """,
            """
            Cases that run tasks take the payloads from the examples in the manifest, in an
            empty directory; without an example they are skipped. A case that depends on a
            failed one is skipped, so that each fault appears once. Two cases run at a time
            where there are two processors; one that does not pass beside another is run
            again alone, and only that counts.
            """,
            """
            A case that runs the plugin's code is run twice: in a thread of a host, and in a
            process of the plugin's own, as with `curfew run`; `--isolation` selects one.
            Cases that look into the process of the kit, or stand between the plugin and
            its table, are run in a thread only.
            """,
            """
            With --time each case tries as many examples of as many handlers as it has time
            for, another case others, and the last cases are left out where there is none any
            more. The summary says what was left out.
            """,
            """
            A plugin has all rights of this user, here as in a host: test an untrusted
            plugin where it can do no harm.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "every case passed or was skipped"),
            ExitMeaning(.faults, "a case failed, or the output could not be written"),
            ExitMeaning(
                .usage,
                "the command line is wrong, there is no such plugin, or no case was selected or "
                    + "could be run"),
            ExitMeaning(.kit, "the kit itself failed"),
            ExitMeaning(
                .otherABI, "the plugin was built for an ABI that this host does not support"),
        ],
        examples: [
            "curfew conform build/plugin", "curfew conform . --level 3 --junit conform.xml",
            "curfew conform . --only fuzz-payload --reproduce 7151220631",
        ]
    ) { arguments, console throws(CommandError) in
        if arguments.has(listOption) {
            let selection = try selection(arguments)
            let isNarrowed = [levelOption, onlyOption, excludeOption].contains(where: arguments.has)
            ConformList.show(
                isNarrowed ? selection.cases : ConformanceCase.all, arguments.has(.json),
                console.out)
            return .ok
        }
        guard !arguments.operands.isEmpty else {
            throw CommandError(
                .usage, "`curfew conform` lacks its argument",
                help: ["write `curfew conform PATH…`", "curfew help conform"])
        }
        let request = try ConformRequest(arguments)
        if request.isolations.contains(.process) {
            do throws(BridgeError) {
                try HelperProgram.check()
            } catch {
                throw CommandError(
                    .kit, error.message, notes: ["nothing was checked"],
                    help: ["write `--isolation thread` to check the plugin in threads only"])
            }
        }
        let session = ConformSession(request, isJSON: arguments.has(.json), console.out)
        try ProgramThread.takeSignals(orEnd: .kit) { number in
            // The children and what is theirs go first.
            ContainedChild.abandonAll()
            session.interrupt()
            _exit(ExitCode.signal(number).rawValue)
        }
        for path in request.paths {
            for round in 0..<request.rounds {
                try run(path, request, round, session) {
                    // The reader of the output is gone, and no file is written.
                    if console.out.failure != 0, request.files.isEmpty {
                        ContainedChild.abandonAll()
                        Program.leave(.faults, console)
                    }
                }
            }
        }
        return try session.finish()
    }

    static func selection(_ arguments: Arguments) throws(CommandError) -> Selection {
        var selection = Selection()
        if let level = try number(levelOption, arguments, ConformanceCase.levels) {
            selection.level = level
        }
        selection.only = arguments.values(onlyOption)
        if arguments.has(chaosOption) {
            guard selection.only.isEmpty else {
                throw CommandError(
                    .usage, "`--chaos` is `--only chaos`, and cannot be given beside `--only`",
                    help: ["write one of the two"])
            }
            selection.only = ["chaos"]
        }
        selection.exclude = arguments.values(excludeOption)
        if let unknown = selection.unknown {
            var help = ["curfew conform --list"]
            let names = ConformanceCase.all.map(\.name)
            if let near = Suggestion.nearest(to: unknown, among: names) {
                help.insert("did you mean `\(near)`?", at: 0)
            }
            throw CommandError(.usage, "there is no case `\(unknown)`", help: help)
        }
        guard !selection.cases.isEmpty else {
            throw CommandError(
                .usage, "no case is left to run: every selected case is excluded",
                help: ["curfew conform --list"])
        }
        return selection
    }

    static func number(
        _ option: CommandOption, _ arguments: Arguments, _ range: ClosedRange<Int>
    ) throws(CommandError) -> Int? {
        guard let text = arguments.values(option).first else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CommandError(
                .usage,
                "`--\(option.name)` takes a number from \(range.lowerBound) to \(range.upperBound), not `\(Shown.line(text))`",
                help: ["curfew help conform"])
        }
        return number
    }

    private static func run(
        _ path: String, _ request: ConformRequest, _ round: Int, _ session: ConformSession,
        _ goesOn: () -> Void
    ) throws(CommandError) {
        let subject = Subject(directory: path)
        var kit = KitRun(subject, request.selection.cases, seed: request.seed(ofRound: round))
        kit.isReproducing = request.isReproducing
        kit.isInProcess = request.isInProcess
        kit.isolations = request.isolations
        kit.time = request.time
        session.begin(ConformReport(path: path, subject: subject, seed: kit.seed), kit.count)
        do throws(ContainmentError) {
            try kit.go(
                begins: { session.begins($0) },
                ends: { result in
                    session.ends(result)
                    goesOn()
                })
        } catch {
            session.fail()
            throw CommandError(
                .kit, error.description, notes: ["the plugin did not cause this"],
                help: error.help.map { [$0] } ?? [])
        }
        session.end()
    }
}

/// The cases, for reading and for other programs.
enum ConformList {
    static func show(_ cases: [ConformanceCase], _ isJSON: Bool, _ out: Output) {
        if isJSON {
            out.line(
                JSONItem.object([
                    ("version", .integer(1)), ("cases", .list(cases.map(item))),
                ]).written)
            return
        }
        for level in ConformanceCase.levels {
            let those = cases.filter { $0.level == level }
            guard !those.isEmpty else { continue }
            out.line(out.paint("level \(level)", .strong))
            for each in those {
                let head = "  \(each.fault.code)  "
                guard (out.columns ?? 80) >= 60 else {
                    out.line(head + each.name)
                    out.line("      " + out.wrapped(each.fault.text, after: 6, indent: 6))
                    continue
                }
                let text = out.wrapped(each.fault.text, after: 36, indent: 36)
                out.line(head + Shown.padded(each.name, 26) + text)
            }
        }
    }

    private static func item(_ each: ConformanceCase) -> JSONItem {
        .object([
            ("name", .text(each.name)), ("code", .text(each.fault.code)),
            ("level", .integer(Int64(each.level))), ("text", .text(each.fault.text)),
            ("needs", .list(each.needs.map { .text($0) })),
        ])
    }
}
