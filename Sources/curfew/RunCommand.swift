// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Runner
import Scheduling

/// `curfew run`
enum RunCommand {
    static let command = Command(
        name: "run", summary: "run one task now, show its life, leave with its outcome",
        operands: "IDENTIFIER", operandCount: 1...1, options: RunRequest.options,
        details: [
            """
            Loads the plugin that declares IDENTIFIER, launches its handler once and shows
            what happens. When its budget is used up the task is told to stop, and has its
            grace to answer. Ctrl-C, SIGTERM and SIGHUP cancel it the same way; a second
            signal ends it at once.
            """,
            """
            Exit status: 0 it succeeded, 100 it failed, 101 the plugin broke the contract,
            124 its time was up, 125 the host could not run it, 126 the plugin was
            refused, 127 there is no such handler, 1 its output could not be written,
            2 wrong command line. Cancelled or ended by a signal: 130 SIGINT (Ctrl-C),
            143 SIGTERM, 129 SIGHUP.
            """,
            """
            With --json every line is an object with "time" (seconds) and "event"; the
            last one is "outcome" and has the outcome, duration, result and error.
            """,
        ],
        examples: [
            "curfew run org.curfew.mirror --payload '{\"from\": \"/srv/a\", \"to\": \"/srv/b\"}'",
            "curfew run org.curfew.mirror --payload @job.json --budget 30s --json | jq .",
        ]
    ) { arguments, console throws(CommandError) in
        let request = try RunRequest(arguments)
        let feed = try LifeFeed()
        let interruption = try Interruption(feed)
        let search = try PluginSearch(arguments, failingWith: .host)
        let view: any LifeView =
            request.isJSON
            ? LifeRecords(console.out) : LifeLines(console.out, isVerbose: request.isVerbose)
        do throws(CommandError) {
            guard let (plugin, handler) = search.plugin(declaring: request.identifier),
                let manifest = plugin.sound
            else { throw missing(request.identifier, search) }
            let facts = LifeFacts(
                handler: handler, plugin: manifest, directory: plugin.directory,
                budget: request.budget ?? handler.budget, grace: request.grace ?? handler.grace)
            view.begin(facts)
            let life = TaskLife(
                facts: facts, request: request, feed: feed, view: view, console: console)
            return try life.run(interruption)
        } catch {
            view.fail(error, at: feed.now)
            throw error
        }
    }

    private static func missing(_ identifier: String, _ search: PluginSearch) -> CommandError {
        var help = ["curfew plugins" + search.options]
        if let near = Suggestion.identifier(near: identifier, among: search.identifiers) {
            help.insert("did you mean `\(near)`?", at: 0)
        }
        let places = search.directories.joined(separator: ", ")
        let count = search.plugins.count
        var notes = ["looked at \(count) plugin\(count == 1 ? "" : "s") in \(places)"]
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
