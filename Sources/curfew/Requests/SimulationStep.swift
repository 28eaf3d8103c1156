// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// A step of `curfew simulate`: `submit`, `advance=15min`, `network=no`.
struct SimulationStep {
    enum Action {
        /// Options that this one has besides those of the command.
        case submit([String: String])
        /// Nanoseconds.
        case advance(UInt64)
        /// Sets a factor; with nil, removes the reading.
        case set(Factor, FactorState?)
        case refresh(RefreshSetting)
        case enablement(HandlerEnablement)
        case launch, expire, wait, why, cancel
        case expect(Expectation)
    }

    /// The expected state of the request.
    enum Expectation {
        case state(RequestState)
        case outcome(Outcome)
        /// The factor holds it back.
        case held(Factor)
        /// Nothing holds it back.
        case free
    }

    let text: String
    let action: Action

    /// The steps, for help.
    static let rows: [(term: String, text: String)] = [
        ("submit", "submit a request with the options of the command"),
        (
            "submit:OPTION=VALUE,…",
            "submit a request with its own options of `curfew submit`: "
                + "submit:needs=network+power"
        ),
        (
            "advance=SPAN",
            "advance the clock: requests become due, budgets are used up"
        ),
        (
            "FACTOR=yes|no|unknown",
            "set a factor: "
                + Factor.allCases.filter(\.isSettable).map(\.name).joined(separator: ", ")
        ),
        ("refresh-setting=WORD", "available, denied or restricted"),
        ("enablement=WORD", "enabled, suspended or removed"),
        ("launch", "launch the pending request now, whatever it waits for"),
        ("expire", "expire the task of `launch`, and wait until it ends"),
        ("wait", "wait until no task runs, at most --timeout"),
        ("cancel", "cancel the request, and wait until its task has ended"),
        ("why", "print what the request waits for"),
        (
            "expect=WORD",
            "exit with 1 unless the request has this state (pending, running, parked, finished, "
                + "cancelled, replaced, missed), or its last task this outcome (succeeded, failed, "
                + "expired, interrupted, abandoned)"
        ),
        ("held=FACTOR|nothing", "exit with 1 unless the request waits for this factor"),
    ]

    private static let plain: [(String, Action)] = [
        ("submit", .submit([:])), ("launch", .launch), ("expire", .expire), ("wait", .wait),
        ("why", .why), ("cancel", .cancel),
    ]

    init(_ text: String) throws(CommandError) {
        self.text = text
        if let (_, action) = Self.plain.first(where: { $0.0 == text }) {
            self.action = action
            return
        }
        if text.hasPrefix("submit:") {
            action = .submit(try Self.options(text))
            return
        }
        guard let equals = text.firstIndex(of: "=") else { throw Self.unknown(text) }
        let (typed, given) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
        // The word of `--needs` is accepted in its short form, too.
        let name = typed == "power" ? Factor.externalPower.name : typed
        let value = typed == "held" && given == "power" ? Factor.externalPower.name : given
        switch name {
        case "advance":
            action = .advance(
                try SpanArgument.value(
                    value, for: "advance=", range: 1...Repetition.intervalRange.upperBound))
        case "expect": action = .expect(try Self.expectation(value))
        case "held":
            action = .expect(
                value == "nothing"
                    ? .free
                    : .held(
                        try Self.word(value, "held", Factor.allCases, more: ["nothing"]) { $0.name }
                    ))
        case "refresh-setting":
            action = .refresh(
                try Self.word(value, name, RefreshSetting.allCases) { $0.name })
        case "enablement":
            action = .enablement(
                try Self.word(value, name, HandlerEnablement.allCases) { $0.name })
        default:
            guard let factor = Factor(name: name), factor.isSettable else {
                throw Self.unknown(text)
            }
            action = .set(
                factor, try Self.word(value, name, FactorState.allCases) { $0.name })
        }
    }

    /// `submit:after=15min,needs=network,local`
    private static func options(_ text: String) throws(CommandError) -> [String: String] {
        var options: [String: String] = [:]
        var last = ""
        for part in text.dropFirst("submit:".count).split(separator: ",") {
            let halves = part.split(separator: "=", maxSplits: 1)
            let name = halves.first.map(String.init) ?? ""
            guard let option = SubmitForm.options.first(where: { $0.name == name }) else {
                if last == SubmitForm.needs.name, let needs = options[last] {
                    throw notInList(name, needs)
                }
                var help = ["curfew help submit"]
                if let meant = Suggestion.nearest(to: name, among: SubmitForm.options.map(\.name)) {
                    help.insert("did you mean `\(meant)`?", at: 0)
                }
                throw CommandError(
                    .usage, "`\(name)` is no option of `submit`", notes: ["nothing was run"],
                    help: help)
            }
            guard (option.value == nil) == (halves.count < 2) else {
                throw CommandError(
                    .usage,
                    option.value == nil ? "`\(name)` takes no value" : "`\(name)` lacks its value",
                    notes: ["nothing was run"],
                    help: [
                        option.value.map { "write `submit:\(name)=\($0)`" }
                            ?? "write `submit:\(name)`"
                    ])
            }
            guard name != SubmitForm.pendingLimit.name else {
                throw CommandError(
                    .usage, "`\(name)` is no option of a step", notes: ["nothing was run"],
                    help: ["write `--\(name) \(halves[1])`, which is for all steps"])
            }
            last = name
            options[name] = halves.count > 1 ? String(halves[1]) : ""
        }
        return options
    }

    private static func notInList(_ word: String, _ needs: String) -> CommandError {
        let list = ShellWord.quoted("submit:needs=\(needs)+\(word)")
        return CommandError(
            .usage, "`\(word)` is no option of `submit`", notes: ["nothing was run"],
            help: ["a list in a step has + between its words: write `\(list)`"])
    }

    private static func expectation(_ value: String) throws(CommandError) -> Expectation {
        if let outcome = Outcome.allCases.first(where: { $0.name == value }), outcome != .cancelled
        {
            return .outcome(outcome)
        }
        return .state(
            try word(
                value, "expect", RequestState.allCases,
                more: Outcome.allCases.map(\.name).filter { $0 != "cancelled" }
            ) { $0.name })
    }

    private static func word<Word>(
        _ value: String, _ name: String, _ words: [Word], more: [String] = [],
        _ text: (Word) -> String
    ) throws(CommandError) -> Word {
        if let word = words.first(where: { text($0) == value }) { return word }
        let names = words.map(text) + more
        var help = ["write `\(name)=` and one of " + names.joined(separator: ", ")]
        if let meant = Suggestion.nearest(to: value, among: names) {
            help.append("did you mean `\(name)=\(meant)`?")
        }
        throw CommandError(
            .usage, "`\(name)=\(value)` is not known", notes: ["nothing was run"], help: help)
    }

    private static func unknown(_ text: String) -> CommandError {
        let name = String(text.prefix { $0 != "=" })
        let valued =
            ["advance", "expect", "held", "refresh-setting", "enablement"]
            + Factor.allCases.filter(\.isSettable).map(\.name)
        var help = ["curfew help simulate"]
        if let meant = Suggestion.nearest(to: name, among: plain.map(\.0) + valued) {
            help.insert(
                valued.contains(meant)
                    ? "did you mean `\(meant)=` and a value?" : "did you mean `\(meant)`?", at: 0)
        }
        return CommandError(
            .usage, "`\(text)` is no step of a simulation", notes: ["nothing was run"], help: help)
    }
}
