// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// `curfew drain`
enum DrainCommand {
    private static let endOption = CommandOption(
        name: "end", summary: "launch requests again")
    private static let timeoutOption = CommandOption(
        name: "timeout", value: "SPAN",
        summary: "wait until no task runs, at most for this time: 90s, 15min, 1h")

    static let command = Command(
        name: "drain", summary: "have a host launch nothing more, and let what runs end",
        operands: "[HOST]", operandCount: 0...1,
        options: [endOption, timeoutOption, ServeConfiguration.option, .store, .json],
        details: [
            """
            Requests are accepted as before, and wait; running tasks go on until they end. So
            nothing is interrupted when the host, a plugin or the machine is stopped then. It
            lasts until --end, or until the host ends: the next one launches.
            """,
            """
            Where several hosts use a store on a server, HOST is the number of one in `curfew hosts`; the
            others go on launching. The host sees it within a second or so, wherever it runs.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "nothing is launched; with --timeout, nothing runs either"),
            ExitMeaning.unwritten, ExitMeaning.usage,
            ExitMeaning(
                .missing, "no host uses the store, or it has no socket, or there is no such HOST"),
            ExitMeaning.denied, ExitMeaning.storeUnavailable,
            ExitMeaning(
                .timedOut,
                "tasks still run when --timeout has passed, or it does not answer 10 s later"),
            ExitMeaning(.conflict, "somebody has ended the drain meanwhile"),
            ExitMeaning(.host, "it ends, or answers with something else"),
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("since", "since when nothing is launched, or null"),
                    (
                        "tasks",
                        "those that run, each with request, launch, identifier, phase, attempt, started, deadline, budget, progress and stopping"
                    ),
                    ("for HOST", "the object is that of `curfew hosts --json`"),
                ])
        ],
        examples: [
            "curfew drain --timeout 15min", "curfew drain --end",
        ]
    ) { arguments, console throws(CommandError) in
        let timeout = try arguments.value(timeoutOption).map { (text) throws(CommandError) in
            try SpanArgument.value(text, for: "--timeout", range: 1...ControlRoutes.longestWait)
        }
        if arguments.has(endOption) {
            guard timeout == nil else {
                throw CommandError(
                    .usage, "`--end` ends the drain, and there is nothing to wait for",
                    help: ["leave out --timeout"])
            }
        }
        if let number = arguments.operands.first {
            return try DrainedHost(number, arguments).run(
                isEnd: arguments.has(endOption), timeout: timeout, console,
                isJSON: arguments.has(.json))
        }
        let client = try ControlClient(arguments, ignoresFaults: true)
        if arguments.has(endOption) {
            let answer = try client.call("DELETE", "/v1/drain", having: "tasks")
            console.out.line(arguments.has(.json) ? answer.text : "requests are launched again")
            return .ok
        }
        let query = timeout.map { "?timeout=\(TimeText.seconds($0, decimals: 9))s" } ?? ""
        let answer = try client.call(
            "POST", "/v1/drain" + query,
            patience: ControlClient.patience + (timeout ?? 0), having: "tasks")
        let isEnded = answer["since"]?.text == nil
        if arguments.has(.json) {
            console.out.line(answer.text)
        } else if !isEnded {
            show(answer["tasks"]?.items ?? [], console.out)
        }
        if isEnded {
            throw CommandError(
                .conflict, "somebody has ended the drain: requests are launched again")
        }
        guard timeout != nil, answer.status == 202 else { return .ok }
        console.errors.note("they still run; nothing is launched meanwhile")
        return .timedOut
    }

    private static func show(_ tasks: [JSONValue], _ out: Output) {
        let count = tasks.isEmpty ? "no task" : "\(tasks.count) task\(tasks.count == 1 ? "" : "s")"
        out.line("nothing is launched; \(count) run\(tasks.count < 2 ? "s" : "")")
        for task in tasks {
            let name = task["identifier"]?.text ?? ""
            out.line("  request \(task["request"]?.digits ?? "?")  \(Shown.line(name))")
        }
    }
}
