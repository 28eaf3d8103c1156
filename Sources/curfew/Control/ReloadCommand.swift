// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// `curfew reload`
enum ReloadCommand {
    static let command = Command(
        name: "reload", summary: "have the host read its configuration again",
        options: [ServeConfiguration.option, .store, .json],
        details: [
            """
            The host of a store reads its configuration again and brings the schedules into the
            store, in one transaction; then it loads the plugins that are new. The command ends when
            that is done. Where the configuration has a fault, nothing is changed. SIGHUP has the
            host do the same.
            """,
            """
            Thresholds, roles and the level of the log count at once as well. Another store, and
            other settings of plugins that are loaded, count once the host is started again.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "the schedules are those of the configuration"),
            ExitMeaning(
                .faults,
                "the configuration has faults, and nothing was changed; or the output could not be written"
            ),
            ExitMeaning.usage, ExitMeaning(.missing, "no host uses the store, or it has no socket"),
            ExitMeaning.denied, ExitMeaning.storeUnavailable,
            ExitMeaning(.timedOut, "it does not answer within a minute"),
            ExitMeaning(.conflict, "the host was started without a configuration"),
            ExitMeaning(.host, "it ends, or answers with something else"),
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("added, changed, removed, over", "the names of such schedules"),
                    ("kept", "how many stay as they are"),
                    ("thresholds", "the names of those that were changed"),
                    ("plugins", "the ids of plugins that were loaded besides"),
                    ("text", "the line that people get"),
                    ("notes", "what is strange, or counts from the next start, for people"),
                    ("needsStart", "other settings were changed, which count from the next start"),
                ])
        ],
        examples: ["curfew reload"]
    ) { arguments, console throws(CommandError) in
        let client: ControlClient
        do throws(CommandError) {
            client = try ControlClient(arguments)
        } catch {
            var error = error
            error.notes = ["nothing was changed"]
            throw error
        }
        // Thousands of schedules, and a commit on a slow disk.
        let answer = try client.call(
            "POST", "/v1/reload", patience: 60_000_000_000, having: "needsStart")
        if arguments.has(.json) {
            console.out.line(answer.text)
        } else {
            console.out.line(Shown.line(answer["text"]?.text ?? ""))
        }
        for note in answer["notes"]?.items ?? [] {
            if let text = note.text { console.errors.note(text) }
        }
        return .ok
    }
}
