// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// The parsed arguments of `curfew run`.
struct RunRequest {
    let identifier: String
    /// The program to run in place of a plugin's handler.
    let program: ProgramRequest?
    let payload: [UInt8]
    /// Nanoseconds; nil: the manifest's.
    let budget: UInt64?
    let grace: UInt64?
    /// A list of what may be run; nil: everything.
    let permitted: String?
    /// The sonames of the libraries whose functions a manifest may call.
    let systemLibraries: [String]
    /// Where the code of the plugin runs, whatever its manifest asks for.
    let isolation: Isolation?
    /// The seed of what goes wrong; nil: nothing does.
    let chaos: UInt64?
    /// What happens if the plugin is not signed.
    let trust: TrustPolicy
    let confinesPlugins: Bool
    /// The additional destination of events; `-` is standard output.
    let eventLog: String?
    let trace: String?
    let isJSON: Bool
    let isVerbose: Bool

    static let payloadOption = CommandOption(
        name: "payload", value: "TEXT|@FILE|-", sort: .payload, mayBeEmpty: true,
        summary: "the task's payload; - is standard input")
    static let budgetOption = CommandOption(
        name: "budget", value: "TIME", summary: "its budget, in place of the manifest's: 250ms, 30s"
    )
    static let graceOption = CommandOption(
        name: "grace", value: "TIME", summary: "its grace, in place of the manifest's: 5s")
    static let permittedOption = CommandOption(
        name: "permitted", value: "FILE", sort: .file,
        summary: "a property list of the permitted handlers")
    static let traceOption = CommandOption(
        name: "trace", value: "FILE", sort: .file,
        summary: "write a trace of the task for Chrome, Perfetto or Firefox; - is standard output")
    static let eventLogOption = CommandOption(
        name: "event-log", value: "FILE|-", sort: .file,
        summary: "append every event to a file, as with --json; - is standard output")
    static let verboseOption = CommandOption(
        name: "verbose", letter: "v", summary: "print every event, and log lines for debugging")

    static let chaosOption = CommandOption(
        name: "chaos", value: "SEED",
        summary: "let much go wrong by chance, the same for a seed; in a thread")

    static let options = [
        payloadOption, budgetOption, graceOption, .plugin, .plugins, permittedOption,
        .systemLibrary, .isolation, .confine, .trust, eventLogOption, traceOption, verboseOption,
        chaosOption, .json,
    ]

    /// Bytes of the largest payload, the default of hosts.
    static var payloadLimit: Int { 1 << 20 }

    init(_ arguments: Arguments) throws(CommandError) {
        program = try ProgramRequest(
            arguments, variables: { _ in true }, failingWith: .notFound)
        identifier = program == nil ? arguments.operands[0] : CommandPayload.identifier
        budget = try DurationArgument.value(
            of: RunRequest.budgetOption, in: arguments, range: Manifest.budgetRange)
        grace = try DurationArgument.value(
            of: RunRequest.graceOption, in: arguments, range: Manifest.graceRange)
        isJSON = arguments.has(.json)
        permitted = arguments.value(RunRequest.permittedOption)
        systemLibraries = try arguments.systemLibraries
        let isolation = try arguments.isolation
        chaos = try Self.chaos(arguments, isolation)
        self.isolation = chaos == nil ? isolation : .thread
        trust = try arguments.trust()
        confinesPlugins = arguments.has(.confine)
        eventLog = arguments.value(RunRequest.eventLogOption)
        trace = arguments.value(RunRequest.traceOption)
        guard trace != "-" || !isJSON && eventLog != "-" else {
            throw CommandError(
                .usage, "`--trace -` and another option both want standard output",
                notes: ["nothing was run"], help: ["name a file: --trace task.json"])
        }
        guard trace == nil || trace != eventLog else {
            throw CommandError(
                .usage, "`--trace` and `--event-log` name the same file",
                notes: ["nothing was run"], help: ["give each a file of its own"])
        }
        guard !isJSON || eventLog != "-" else {
            throw CommandError(
                .usage, "`--json` and `--event-log -` both want standard output",
                help: ["leave one out, they write the same; or name a file: --event-log FILE"])
        }
        isVerbose = arguments.has(RunRequest.verboseOption)
        if let program {
            for option in [
                RunRequest.payloadOption, .plugin, .plugins, .isolation, .confine, .trust,
                RunRequest.chaosOption,
            ] where arguments.has(option) {
                throw CommandError(
                    .usage, "`--\(option.name)` is for handlers of plugins, and this is a program",
                    help: ["leave it out", "curfew help run"])
            }
            payload = program.payload
        } else {
            payload = try RunRequest.payload(arguments.value(RunRequest.payloadOption))
        }
    }

    private static func chaos(
        _ arguments: Arguments, _ isolation: Isolation?
    ) throws(CommandError) -> UInt64? {
        guard let text = arguments.value(chaosOption) else { return nil }
        guard let seed = UInt64(text), seed < 1 << 53 else {
            throw CommandError(
                .usage, "`--chaos` takes a whole number, not `\(Shown.line(text))`",
                help: ["--chaos 1"])
        }
        guard isolation == nil || isolation == .thread else {
            throw CommandError(
                .usage, "`--chaos` needs the plugin's code in a thread of this process",
                help: ["leave `--isolation` out", "curfew conform PATH --only chaos"])
        }
        return seed
    }

    /// - Parameter lead: what the text was typed after: `--payload`, or `submit:payload=`.
    static func payload(
        _ text: String?, after lead: String = "--payload"
    ) throws(CommandError) -> [UInt8] {
        func typed(_ value: String) -> String { TypedValue.text(value, after: lead) }
        guard let text else { return [] }
        guard text == "-" || text.begins(with: "@") else {
            // The kernel's own limit for one argument is below the payload's.
            return Array(text.utf8)
        }
        guard text != "@" else {
            throw CommandError(
                .usage, "`\(typed("@"))` names no file",
                help: ["write `\(typed("@FILE"))`; to pass the text @ itself, use `\(typed("-"))`"])
        }
        let path = text == "-" ? "-" : String(text.unicodeScalars.dropFirst())
        do throws(InputFile.Fault) {
            return try InputFile.read(path, limit: payloadLimit)
        } catch {
            let name = path == "-" ? "standard input" : "`\(path)`"
            throw CommandError(
                .host, "the payload cannot be read from \(name): \(error.reason)",
                notes: ["nothing was run"],
                help: ["\(typed("@FILE")), \(typed("-")) or \(typed("TEXT")), at most 1 MiB"])
        }
    }
}
