// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import PluginBridge
import Scheduling

/// A handler that is a program. Its tasks are pending while their programs run.
final class CommandHandler: @unchecked Sendable {
    // Sendable: everything is constant.

    private let runner: CommandRunner
    /// Nil: the payload says which program to run.
    private let command: ManifestCommand?
    /// The directory of the plugin.
    private let directory: String
    private let confine: Confinement.Maker?
    private let plugin: Int32

    init(
        _ runner: CommandRunner, _ command: ManifestCommand?, directory: String,
        confine: Confinement.Maker?, plugin: Int32
    ) {
        self.confine = confine
        self.runner = runner
        self.command = command
        self.directory = directory
        self.plugin = plugin
    }

    /// Returns the code that workers and deadline threads call. They do not retain this object.
    func code(_ api: UnsafePointer<curfew_host_api>, concurrency: Int) -> HandlerCode {
        HandlerCode(
            run: { data, _, task, _ in
                Unmanaged<CommandHandler>.fromOpaque(data!)._withUnsafeGuaranteedRef {
                    $0.run(task)
                }
            },
            expired: { data, _, task, _ in
                Unmanaged<CommandHandler>.fromOpaque(data!)._withUnsafeGuaranteedRef {
                    $0.runner.stop(task)
                }
            },
            data: Unmanaged.passUnretained(self).toOpaque(), api: api,
            pendingLimit: UInt32(concurrency),
            graceOver: { data, task in
                Unmanaged<CommandHandler>.fromOpaque(data!)._withUnsafeGuaranteedRef {
                    $0.runner.endOfGrace(of: task)
                }
            })
    }

    private func run(_ task: curfew_task) -> curfew_status {
        guard let facts = runner.services.facts(of: task, plugin: plugin) else {
            return Status.stale.rawValue
        }
        let payload = UnsafeRawBufferPointer(
            start: facts.payload, count: Int(facts.payloadBytes))
        do throws(BridgeError) {
            var (command, line, input) = try line(payload, facts, task)
            let confinement = try confine?()
            line.environment.merge(confinement?.variables ?? [:]) { own, _ in own }
            func start(_ input: UnsafeRawBufferPointer) throws(BridgeError) {
                try runner.start(command, line, confinement, input, task: task, plugin: plugin)
            }
            if let input {
                try Array(input.utf8).withUnsafeBytes { bytes in
                    Result { () throws(BridgeError) in try start(bytes) }
                }.get()
            } else {
                try start(payload)
            }
            return Status.pending.rawValue
        } catch {
            runner.fail(task, plugin, error.message)
            return Status.failed.rawValue
        }
    }

    private func line(
        _ payload: UnsafeRawBufferPointer, _ facts: TaskFacts, _ task: UInt64
    ) throws(BridgeError) -> (ManifestCommand, ProgramStart, input: String?) {
        var line: ProgramStart
        let command: ManifestCommand
        var base = directory
        var input: String?
        if let own = self.command {
            command = own
            var words: [String] = []
            for word in own.words { words.append(try text(of: word, payload)) }
            line = ProgramStart(
                words: words,
                environment: ProgramStart.inheritedEnvironment().merging(own.environment) { $1 },
                directory: own.directory ?? directory)
        } else {
            guard let given = CommandPayload(Array(payload)) else {
                throw BridgeError(
                    .failed,
                    "the payload is no command: it is JSON with argv, directory and environment")
            }
            command = ManifestCommand(
                words: given.arguments.map { .text($0) }, readsPayload: given.input != nil,
                directory: given.directory)
            input = given.input
            base = given.directory
            line = ProgramStart(
                words: given.arguments,
                environment: ProgramStart.inheritedEnvironment().merging(given.environment) { $1 },
                directory: given.directory, output: given.output)
        }
        line.environment["CURFEW_TASK"] = String(task)
        line.environment["CURFEW_ATTEMPT"] = String(facts.attempt)
        line.environment["CURFEW_IDENTIFIER"] = String(cString: facts.identifier)
        // When it is told to stop, in seconds since 1970; of a budget without an end nothing.
        let left = runner.services.remaining(of: task, plugin: plugin)
        if left > 0, let left = Int64(exactly: left) {
            let end = csys_realtime_ns().addingReportingOverflow(left)
            if !end.overflow {
                line.environment["CURFEW_DEADLINE"] = String(end.partialValue / 1_000_000_000)
            }
        }
        let request = runner.services.request(of: task, plugin: plugin)
        if request != 0 { line.environment["CURFEW_REQUEST"] = String(request) }
        // Nobody else says it, and nobody where it is the host's own user.
        line.environment["CURFEW_OWNER"] = runner.services.owner(of: task, plugin: plugin)
            .map { String($0) }
        // Programs that make traces look for it there.
        if let trace = runner.services.trace(of: task, plugin: plugin) {
            line.environment["TRACEPARENT"] = trace.text
        }
        if let problem = line.resolve(from: base) { throw BridgeError(.failed, problem) }
        return (command, line, input)
    }

    private func text(
        of word: ManifestCommand.Word, _ payload: UnsafeRawBufferPointer
    ) throws(BridgeError) -> String {
        switch word {
        case .text(let text): return text
        case .payloadFile: return CommandRunner.payloadPath
        case .payload:
            guard !payload.contains(0), let text = String(validating: payload, as: UTF8.self) else {
                throw BridgeError(
                    .failed,
                    "the payload is no text, and an argument of the program is made of it; nothing was run"
                )
            }
            return text
        }
    }
}
