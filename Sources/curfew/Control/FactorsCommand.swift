// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling

/// `curfew factors`
enum FactorsCommand {
    private static let forOption = CommandOption(
        name: "for", value: "SPAN", summary: "for this time, then as before: 90s, 15min, 1h")
    /// The word that ends an override.
    private static let automatic = "auto"
    private static let factors = Factor.allCases.filter(\.isSettable)

    static let command = Command(
        name: "factors", summary: "list what a host knows of its machine, or set it by hand",
        operands: "[FACTOR=STATE…]", operandCount: 0...factors.count,
        operandSort: .words(
            factors.flatMap { factor in
                (FactorState.allCases.map(\.name) + [automatic]).map { "\(factor.name)=\($0)" }
            }),
        options: [forOption, ServeConfiguration.option, .store, .json],
        details: [
            """
            Lists the factors of the machine as the host of a store sees them: whether each lets
            requests be launched that depend on it, since when, and who says so. The host looks at
            them while requests wait.
            """,
            """
            FACTOR=no holds requests back, as if the machine were so, and =yes lets them be
            launched; =unknown is what no source tells. It counts at once, and until FACTOR=auto,
            the end of --for, or the end of the host.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "they are set, or were shown"), ExitMeaning.unwritten,
            ExitMeaning.usage, ExitMeaning(.missing, "no host uses the store, or it has no socket"),
            ExitMeaning.denied, ExitMeaning.storeUnavailable,
            ExitMeaning(.timedOut, "it does not answer within ten seconds"),
            ExitMeaning(.host, "it ends, or answers with something else"),
        ],
        sections: [
            HelpSection(
                title: "factors",
                rows: [
                    ("external-power", "it has power from outside"),
                    ("battery", "its battery is not nearly empty"),
                    ("low-power-mode", "it does not save power"),
                    ("thermal", "it is not too hot"),
                    ("network", "it has a network"),
                    ("pressure", "processors, memory and disks are not overloaded"),
                    ("idle", "no user is active at it"),
                    ("first-unlock", "a user has logged in since it was started"),
                ]),
            HelpSection(
                title: "with --json",
                rows: [("factors", "each with name, state, source, detail and since")]),
        ],
        examples: ["curfew factors", "curfew factors external-power=no --for 10min"]
    ) { arguments, console throws(CommandError) in
        let settings = try settings(arguments.operands)
        let span = arguments.value(forOption)
        if let span {
            _ = try SpanArgument.value(span, for: "--for", range: 1...FactorBody.longest)
        }
        if span != nil, settings.allSatisfy({ $0.state == nil }) {
            throw CommandError(
                .usage, "`--for` needs a factor that is set", notes: ["nothing was done"],
                help: ["write one: FACTOR=no"])
        }
        let client = try ControlClient(arguments, ignoresFaults: true)
        for (factor, state) in settings {
            let path = "/v1/factors/\(factor.name)"
            guard let state else {
                _ = try client.call("DELETE", path, having: "state")
                continue
            }
            var members: [(key: String, value: JSONItem)] = [("state", .text(state.name))]
            if let span { members.append((key: "for", value: .text(span))) }
            _ = try client.call(
                "PUT", path, body: JSONItem.object(members).written, having: "state")
        }
        let answer = try client.call("GET", "/v1/factors", having: "factors")
        if arguments.has(.json) {
            console.out.line(answer.text)
        } else {
            print(answer["factors"]?.items ?? [], console.out)
        }
        return .ok
    }

    /// Parses `FACTOR=STATE` words. The state is nil for `auto`, which ends an override.
    private static func settings(
        _ words: [String]
    ) throws(CommandError) -> [(factor: Factor, state: FactorState?)] {
        var settings: [(factor: Factor, state: FactorState?)] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(
                    String.init)
            guard let name = parts.first, let factor = factors.first(where: { $0.name == name })
            else {
                let names = factors.map(\.name)
                let meant = Suggestion.nearest(to: parts.first ?? "", among: names)
                throw CommandError(
                    .usage, "the machine has no factor `\(Shown.line(parts.first ?? ""))`",
                    notes: ["nothing was done"],
                    help: [
                        meant.map { "did you mean `\($0)`?" }
                            ?? "it has \(names.joined(separator: ", "))"
                    ])
            }
            let states = FactorState.allCases
            let state = parts.count > 1 ? states.first { $0.name == parts[1] } : nil
            guard state != nil || (parts.count > 1 && parts[1] == automatic) else {
                throw CommandError(
                    .usage, "`\(Shown.line(word))` says no state", notes: ["nothing was done"],
                    help: [
                        "write \(name)= and one of \((states.map(\.name) + [automatic]).joined(separator: ", "))"
                    ])
            }
            guard !settings.contains(where: { $0.factor == factor }) else {
                throw CommandError(
                    .usage, "`\(name)` is set twice", notes: ["nothing was done"],
                    help: ["leave one of them out"])
            }
            settings.append((factor, state))
        }
        return settings
    }

    private static func print(_ factors: [JSONValue], _ out: Output) {
        guard !factors.isEmpty else {
            return out.line("it has not looked at its machine yet: no request waits")
        }
        let now = csys_realtime_ns()
        let rows = factors.map { factor in
            let since = factor["since"]?.text.flatMap { text in
                try? DateArgument.value(text, for: "since=", at: now, isUTC: true)
            }
            let source = factor["source"]?.text ?? ""
            let detail = factor["detail"]?.text ?? ""
            return [
                factor["name"]?.text ?? "?", factor["state"]?.text ?? "?",
                since.map {
                    out.columns == nil ? DateText.word($0) : DateText.relative($0, at: now)
                }
                    ?? "-",
                Shown.line(source.isEmpty ? detail : "\(detail) (\(source))"),
            ]
        }
        TextTable(["FACTOR", "STATE", "SINCE", "WHY"], rows).print(out, wraps: true)
    }
}
