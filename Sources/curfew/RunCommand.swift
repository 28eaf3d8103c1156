// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Runner
import Scheduling

/// `curfew run`
enum RunCommand {
    static let command = Command(
        name: "run", summary: "run one task now, print its events, exit with its outcome",
        operands: "IDENTIFIER", operandCount: 1...1, operandSort: .handler,
        takesProgram: true, options: RunRequest.options,
        details: [
            """
            Loads the plugin that declares IDENTIFIER, launches its handler once and prints
            the events. When the budget is used up, the task has its grace to end. SIGINT,
            SIGTERM and SIGHUP cancel the task the same way; a second signal ends it at
            once.
            """,
            """
            A payload that begins with @ names a file, and - is standard input; every other
            payload is the text itself. Use a file for a text that begins with @ or is -.
            """,
            """
            After -- a program stands in place of IDENTIFIER, with its arguments: it is run
            with this environment and directory, with nothing to read, and in processes of
            its own. Its budget is 10min without --budget. When the time is up it gets
            SIGTERM, and at the end of the grace SIGKILL, with all that it started.
            """,
            """
            --plugin names the directory of one plugin, which must exist and have no
            faults; --plugins names a directory to search. With either option no other
            directory is used.
            """,
            """
            The plugin's code runs in a process of its own: where that crashes, exits or
            never returns, the task ends, and nothing else. With --isolation thread it runs
            in this one, for a debugger. With --confine it can use only what the `needs` of
            its manifest name, and without `needs` only what every process can; where the
            machine cannot confine it, nothing is run.
            """,
            """
            With --trust require, the plugin has to be signed by a trusted key; with warn, a
            line says why it is not. Without the option CURFEW_TRUST decides; without both,
            signatures are not looked at.
            """,
            """
            With --chaos the host refuses calls as it may (a full queue, too many
            references, a store on a full disk), the budget may be short, and requests for
            memory of the plugin's own code fail, by chance and the same for a seed; each is
            a line of the log. `curfew conform --only chaos` tries many seeds.
            """,
            """
            On a terminal a bar shows the rest of the budget, and then of the grace. With
            --event-log - the events go to standard output, and texts for people to
            standard error.
            """,
            """
            --trace writes what happened when, for chrome://tracing, https://ui.perfetto.dev or
            Firefox's profiler: the wait for the plugin, the run, its progress, log and events,
            and the grace.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "it succeeded"), ExitMeaning.unwritten, ExitMeaning.usage,
            ExitMeaning(
                .timedOut,
                "code of the plugin has not returned 10 s after loading began, and nothing was run"),
            ExitMeaning(.failed, "it failed"),
            ExitMeaning(
                .misuse,
                "the plugin released the task without completing it, its code called exit, or its "
                    + "process ended"),
            ExitMeaning(.expired, "its time was up"),
            ExitMeaning(.host, "the host could not run it"),
            ExitMeaning(.refused, "the plugin was refused"),
            ExitMeaning(.notFound, "there is no handler of this identifier, or no such program"),
            ExitMeaning(
                signal:
                    "cancelled by signal N: 130 SIGINT (Ctrl-C), 143 SIGTERM, 129 SIGHUP; with "
                    + "--isolation thread its code died of it: 139 SIGSEGV"),
        ],
        sections: [LifeRecords.section],
        examples: [
            "curfew run --budget 1h -- cp -r in copy",
            "curfew run org.curfew.crc32 --payload 123456789",
            "curfew run org.curfew.mirror --payload @job.json --budget 30s --json | jq .",
        ]
    ) { arguments, console throws(CommandError) in
        let request = try RunRequest(arguments)
        let feed = try LifeFeed()
        let interruption = try Interruption(feed)
        let log: EventLog? =
            if let path = request.eventLog { try EventLog(path, console) } else { nil }
        let trace: EventLog? =
            if let path = request.trace { try EventLog(path, console, isTrace: true) } else { nil }
        let view = view(request, log, trace, console)
        defer { CrashNote.disarm() }
        do throws(CommandError) {
            let facts = try facts(request, arguments)
            view.begin(facts)
            CrashNote.arm(
                facts.handler.identifier, console,
                records: [request.isJSON ? console.out : nil, log?.output].compactMap {
                    $0?.descriptor
                }, beginning: feed.beginning)
            let life = TaskLife(
                facts: facts, request: request, feed: feed, view: view, console: console,
                logs: [log, trace].compactMap(\.self))
            return try life.run(interruption)
        } catch {
            view.fail(error, at: feed.now)
            throw error
        }
    }

    private static func facts(
        _ request: RunRequest, _ arguments: Arguments
    ) throws(CommandError) -> LifeFacts {
        let (manifest, handler, directory): (Manifest, ManifestHandler, String)
        if let program = request.program {
            manifest = try program.manifest()
            (handler, directory) = (manifest.handlers[0], "")
        } else {
            let found = try find(request.identifier, arguments)
            (manifest, handler, directory) = (found.1, found.2, found.0.directory)
            guard request.chaos == nil || handler.form == .entry else {
                throw CommandError(
                    .usage,
                    "`--chaos` stands between a host and curfew_plugin_entry, and this handler has none",
                    help: ["leave it out"])
            }
        }
        return LifeFacts(
            handler: handler, plugin: manifest, directory: directory,
            program: request.program?.words, budget: request.budget ?? handler.budget,
            grace: request.grace ?? handler.grace)
    }

    private static func view(
        _ request: RunRequest, _ log: EventLog?, _ trace: EventLog?, _ console: Console
    ) -> any LifeView {
        let isTaken = [log, trace].contains { $0?.isStandardOutput ?? false }
        let screen = isTaken ? console.errors : console.out
        let view: any LifeView =
            request.isJSON
            ? LifeRecords(screen) : LifeLines(screen, isVerbose: request.isVerbose)
        return LifeViews(
            [view] + (log.map { [LifeRecords($0.output)] } ?? [])
                + (trace.map { [LifeTrace($0.output)] } ?? []))
    }

    /// The plugin that a host would load for an identifier.
    static func find(
        _ identifier: String, _ arguments: Arguments
    ) throws(CommandError) -> (FoundPlugin, Manifest, ManifestHandler) {
        let search = try PluginSearch(arguments, failingWith: .host)
        guard let (plugin, handler) = search.plugin(declaring: identifier),
            let manifest = plugin.sound
        else {
            throw refused(arguments.values(.plugin), search) ?? missing(identifier, search)
        }
        return (plugin, manifest, handler)
    }

    /// Why a plugin that was named is none; the identifier may well be in it.
    private static func refused(_ single: [String], _ search: PluginSearch) -> CommandError? {
        for plugin in search.plugins where single.contains(plugin.directory) {
            guard case .failure(let faults) = plugin.manifest else { continue }
            return CommandError(
                .refused, faults.diagnostics.map(\.rendered).joined(separator: "\n\n"),
                notes: ["nothing was run"],
                help: ["curfew lint \(ShellWord.path(plugin.directory))"], isLaidOut: true)
        }
        return nil
    }

    private static func missing(_ identifier: String, _ search: PluginSearch) -> CommandError {
        var help = ["curfew plugins" + search.options]
        if let near = Suggestion.identifier(near: identifier, among: search.identifiers) {
            help.insert("did you mean `\(near)`?", at: 0)
        }
        let places = search.directories.joined(separator: ", ")
        let count = search.plugins.count
        var notes = ["looked at \(count) plugin\(count == 1 ? "" : "s") in \(places)"]
        if count == 0, search.options.isEmpty { help.append("curfew paths") }
        let faulty = search.plugins.filter { $0.sound == nil }
        if let first = faulty.first {
            notes.append(
                "\(faulty.count) of them cannot be used; the first: curfew lint \(ShellWord.path(first.directory))"
            )
        }
        return CommandError(
            .notFound, "no plugin has a handler for `\(identifier)`", notes: notes, help: help)
    }
}
