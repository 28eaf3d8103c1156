// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// `curfew top`
enum TopCommand {
    private static let onceOption = CommandOption(
        name: "once", summary: "print one screen and leave, as it does in a pipe")
    private static let intervalOption = CommandOption(
        name: "interval", value: "SPAN", summary: "the time between two looks; default 2s")
    /// Of one look.
    private static let usualInterval: UInt64 = 2_000_000_000

    static let command = Command(
        name: "top", summary: "show what a host does, live on a whole screen",
        options: [
            onceOption, intervalOption, RemoteHost.option, ServeConfiguration.option, .store, .json,
        ],
        details: [
            """
            Shows what runs and how much of its budget is used, what waits and for what, what
            is due next, each task's last hour and day, and the last ends. With the keys a
            request is cancelled, retried or launched now, and a handler paused: see below.
            """,
            """
            It asks the host over its socket, which has to be there: `curfew ps` looks into a
            store without a host. If the host ends, the screen stays and goes on once there is
            another one.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "a person or a signal ended it, or one screen was printed"),
            ExitMeaning.unwritten, ExitMeaning.usage,
            ExitMeaning(.missing, "no host uses the store, or it has no socket"),
            ExitMeaning(.denied, "the user may not look at the host"),
            ExitMeaning.storeUnavailable,
            ExitMeaning(.timedOut, "it does not answer within 10 s"),
            ExitMeaning(.host, "it ends, or answers with something else, or ncurses is not there"),
        ],
        sections: [
            HelpSection(
                title: "columns",
                rows: [
                    (
                        "RUNNING",
                        "how long a task runs, how much of its budget that is, and how far it says to be"
                    ),
                    ("WAITING", "since when a request is due, and the factors that hold it"),
                    ("HOUR", "launches and the dates on which one was due, of the last hour"),
                    (
                        "DELAY, BUDGET",
                        "95 of 100 launches came in this time, and used so much, of 24 h"
                    ),
                    ("24 H", "tasks that succeeded, and that did not"),
                ]),
            HelpSection(title: "keys", rows: TopView.keys),
            HelpSection(
                title: "with --json", text: "One object, for one look.", rows: TopSnapshot.rows),
        ],
        examples: ["curfew top --once", "curfew top --json | jq .running"]
    ) { arguments, console throws(CommandError) in
        var interval = usualInterval
        if let text = arguments.value(intervalOption) {
            interval = try SpanArgument.value(
                text, for: "--interval", range: 100_000_000...3_600_000_000_000)
        }
        let client: ControlClient
        if let path = arguments.value(RemoteHost.option) {
            client = ControlClient(socket: path)
        } else {
            client = try ControlClient(arguments, ignoresFaults: true)
        }
        let first = try TopSnapshot(client)
        if arguments.has(.json) {
            console.out.line(first.item.written)
            return .ok
        }
        guard console.out.isScreen, !arguments.has(onceOption) else {
            for line in TopScreen(first, columns: console.out.columns ?? 120).lines(rows: nil) {
                console.out.line(text(line, console.out))
            }
            return .ok
        }
        let stop = try StopSignals()
        let terminal = try TopTerminal(hasColours: console.out.isRich)
        TopView(client, terminal, first, interval: interval).run(stop: stop.descriptor)
        terminal.end()
        return .ok
    }

    private static func text(_ line: TopLine, _ out: Output) -> String {
        let text = line.spans.map { span in
            switch span.style {
            case .plain: span.text
            case .faint: out.paint(span.text, .faint)
            case .bold: out.paint(span.text, .strong)
            case .good: out.paint(span.text, .good)
            case .warning: out.paint(span.text, .warning)
            case .bad: out.paint(span.text, .alarm)
            }
        }.joined()
        // A line of a pipe has no blanks at its end.
        return out.isRich ? text : String(text.reversed().drop { $0 == " " }.reversed())
    }
}
