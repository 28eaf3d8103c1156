// SPDX-License-Identifier: Apache-2.0

/// `curfew health`
enum HealthCommand {
    static let command = Command(
        name: "health", summary: "ask the host whether it does all its work",
        options: [ServeConfiguration.option, .store, .json],
        details: [
            """
            Asks the host of a store, over its control socket: whether its store works, whether it
            launches requests, which plugins it has refused or does not run any more, and whether
            the configuration that it read last counts. `curfew doctor` looks at the machine, with
            and without a host.
            """
        ],
        exits: [
            ExitMeaning(.ok, "it does all its work, or is drained"),
            ExitMeaning(
                .faults, "some work waits for a mend, or the output could not be written"),
            ExitMeaning.usage, ExitMeaning(.missing, "no host uses the store, or it has no socket"),
            ExitMeaning.denied, ExitMeaning(.timedOut, "it does not answer within 10 s"),
            ExitMeaning(.host, "it ends, or answers with something else"),
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("status", "ok, drained or degraded"),
                    ("findings", "each with part, state (ok, warn, fail), text and mend"),
                ])
        ],
        examples: ["curfew health"]
    ) { arguments, console throws(CommandError) in
        let client = try ControlClient(arguments, ignoresFaults: true)
        let answer = try client.call(
            "GET", "/v1/health", having: "findings", statuses: [200, 503])
        let status = answer["status"]?.text.flatMap(HostHealth.Status.init) ?? .degraded
        if arguments.has(.json) {
            console.out.line(answer.text)
        } else {
            for item in answer["findings"]?.items ?? [] { Finding(item)?.print(console.out) }
        }
        return status == .degraded ? .faults : .ok
    }
}
