// SPDX-License-Identifier: Apache-2.0

/// `curfew doctor`
enum DoctorCommand {
    static let command = Command(
        name: "doctor", summary: "check the installation, the store and the machine",
        options: [ServeConfiguration.option, .plugins, .store, .json],
        details: [
            """
            Looks at the installation and the libraries that a host opens, the configuration, the
            store, its host and that one's socket, the plugins, the sandbox of their processes, the
            limits of this user, the clock, and whether systemd starts a host, also when nobody is
            logged in. It changes nothing, and starts one process to try
            what confines it.
            """,
            """
            Each line is ok, warn or fail; what mends it is below. A warning is about what works,
            with less than it could.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "nothing fails; there may be warnings"),
            ExitMeaning(.faults, "something fails, or the output could not be written"),
            ExitMeaning.usage,
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [("findings", "each with part, state (ok, warn, fail), text and mend")])
        ],
        examples: ["curfew doctor"]
    ) { arguments, console throws(CommandError) in
        let findings = Examination(arguments).findings
        let hasFailed = findings.contains { $0.state == .fail }
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([("findings", .list(findings.map(\.item)))]).written)
        } else {
            for finding in findings { finding.print(console.out) }
        }
        return hasFailed ? .faults : .ok
    }
}
