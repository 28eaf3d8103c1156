// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge

/// `curfew web`
enum WebCommand {
    static let command = Command(
        name: "web", summary: "print a link to the web page of a host",
        options: [ServeConfiguration.option, .store, .json],
        details: [
            """
            The page shows what runs, what has run, what waits and why, live, and cancels,
            retries and releases what its user may change. The link works once and for five
            minutes; the browser is signed in with the rights of the user who has typed
            the command, until it has rested for 12 hours or the host ends.
            """,
            """
            Without `web` in its configuration the host opens a port of this machine when it
            is asked for the first time, which only this machine reaches. On another machine:
            `ssh -L 8700:127.0.0.1:PORT` to this one. Where `listen` of `web` names an address
            that others reach, put a proxy with TLS before it.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "the link was printed"), ExitMeaning.unwritten, ExitMeaning.usage,
            ExitMeaning(.missing, "no host uses the store, or it has no socket"),
            ExitMeaning(.denied, "the user may not look at the host"),
            ExitMeaning.storeUnavailable,
            ExitMeaning(.timedOut, "it does not answer within 10 s"),
            ExitMeaning(.conflict, "the host cannot open a port"),
            ExitMeaning(.host, "it ends, or answers with something else"),
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [("url", "the link"), ("seconds", "for how long it works")])
        ],
        examples: ["curfew web", "curfew web --json"]
    ) { arguments, console throws(CommandError) in
        let client = try ControlClient(arguments, ignoresFaults: true)
        let answer = try client.call("POST", "/v1/web", having: "url")
        guard let url = answer["url"]?.text else {
            throw CommandError(.host, "the host has answered without a link")
        }
        if arguments.has(.json) {
            console.out.line(answer.text)
        } else {
            console.out.line(Shown.line(url))
            if console.out.columns != nil {
                console.errors.note("it works once, within 5 min; then the browser is signed in")
            }
        }
        return .ok
    }
}
