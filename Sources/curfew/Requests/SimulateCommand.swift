// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Runner
import Scheduling

/// `curfew simulate`
enum SimulateCommand {
    private static let timeoutOption = CommandOption(
        name: "timeout", value: "TIME",
        summary: "real time to wait for a task, or for a call into the plugin; default 10s")

    static let command = Command(
        name: "simulate",
        summary: "run steps on requests and tasks, with a manual clock",
        operands: "IDENTIFIER STEP…", operandCount: 2...1_000, operandSort: .handler,
        options: SubmitForm.options + [.plugin, .plugins, .systemLibrary, timeoutOption, .json],
        details: [
            """
            Loads the plugin that declares IDENTIFIER into a host with requests in memory
            and a manual clock, and runs the steps in order, at most 999. The clock stands
            still until a step advances it, so that a day takes only as long as its tasks.
            It begins at 2026-01-01 00:00 UTC. Every factor is unknown until a step sets
            it.
            """,
            """
            A request is launched when its date comes and it waits for no other factor. Its
            task ends before the next step begins, and the clock stands still meanwhile. A
            task of `launch` keeps running, so that further steps can act on it.
            """,
            """
            The options describe the request of `submit`. The steps `launch` and `expire`
            do what Apple's debugger commands do, with their log lines.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "all went as the steps expect it"),
            ExitMeaning(
                .faults,
                "a step could not be done, or something is not as expected; or the output could not "
                    + "be written"),
            ExitMeaning.usage,
            ExitMeaning(
                .timedOut,
                "at `wait` a task still worked after --timeout; or the plugin's entry function, or "
                    + "an expiration callback, had not returned by then"),
            ExitMeaning(.misuse, "the code of the plugin called exit"),
            ExitMeaning(.host, "the host could not run it"),
            ExitMeaning(.refused, "the plugin was refused"),
            ExitMeaning(.notFound, "there is no handler of this identifier"),
            ExitMeaning(
                signal: "ended by signal N: 130 SIGINT; or its code died of it: 139 SIGSEGV"),
        ],
        sections: [
            HelpSection(title: "steps", rows: SimulationStep.rows),
            HelpSection(
                title: "with --json",
                text: "One object a line, with \"time\", in seconds of its clock, and \"event\":",
                rows: SimulationRecords.rows),
        ],
        examples: [
            "curfew simulate org.curfew.crc32 submit:after=5s advance=5s expect=succeeded",
            "curfew simulate org.curfew.feed --needs network network=no submit held=network",
            "curfew simulate org.curfew.crc32 submit:after=1h launch wait expect=succeeded",
        ]
    ) { arguments, console throws(CommandError) in
        var steps: [SimulationStep] = []
        for text in arguments.operands.dropFirst() { steps.append(try SimulationStep(text)) }
        let timeout =
            try DurationArgument.value(
                of: timeoutOption, in: arguments, range: 1_000_000...86_400_000_000_000)
            ?? 10_000_000_000
        // Errors of the options are reported before anything is loaded.
        let values = SubmitValues { arguments.value($0) }
        _ = try SubmitForm.limits(values)
        let payloads = try payloads(of: steps, arguments.operands[0], values)
        let (plugin, manifest, handler) = try RunCommand.find(arguments.operands[0], arguments)
        let facts = LifeFacts(
            handler: handler, plugin: manifest, directory: plugin.directory,
            budget: handler.budget, grace: handler.grace)
        let view: any SimulationView =
            arguments.has(.json) ? SimulationRecords(console.out) : SimulationLines(console.out)
        _ = try Interruption()
        CrashNote.arm(
            handler.identifier, console,
            records: arguments.has(.json) ? [console.out.descriptor] : [],
            beginning: csys_monotonic_ns())
        defer { CrashNote.disarm() }
        let simulation = try Simulation(
            facts, values, payloads: payloads, timeout: timeout,
            systemLibraries: try arguments.systemLibraries, view, console)
        var failure: CommandError?
        do throws(CommandError) { try simulation.run(steps) } catch { failure = error }
        let hasReturned = simulation.leave()
        view.end(failure, at: simulation.time)
        if !hasReturned {
            failure?.print(to: console.errors)
            Program.leave(failure?.code ?? .ok, console, atOnce: true)
        }
        if let failure { throw failure }
        return .ok
    }

    /// Reads all that the steps submit, so that nothing is run where one of them cannot be done.
    ///
    /// Returns the payloads by the texts that name them; standard input can be read once.
    private static func payloads(
        of steps: [SimulationStep], _ identifier: String, _ values: SubmitValues
    ) throws(CommandError) -> [String: [UInt8]] {
        var payloads: [String: [UInt8]] = [:]
        var now = ManualClock().moment.wall
        func read(_ own: [String: String]) throws(CommandError) {
            let all = SubmitValues(values, step: own)
            _ = try SubmitForm.description(identifier, kind: .appRefresh, at: now, all)
            let option = RunRequest.payloadOption
            guard let text = all(option), payloads[text] == nil else { return }
            payloads[text] = try RunRequest.payload(text, after: all.lead(option))
        }
        var isSubmitted = false
        for step in steps {
            switch step.action {
            case .submit(let own):
                try read(own)
                isSubmitted = true
            case .advance(let span): now = min(now + Int64(span), Moment.dates.upperBound)
            default: break
            }
        }
        if !isSubmitted { try read([:]) }
        return payloads
    }
}
