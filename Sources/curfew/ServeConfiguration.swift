// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Runner
import Scheduling
import Service

/// The configuration of `curfew serve`: which files, and what is wrong with them.
enum ServeConfiguration {
    static let option = CommandOption(
        name: "config", value: "FILE", sort: .file,
        summary: "read this configuration in place of the usual one")
    static let checkOption = CommandOption(
        name: "check", summary: "check the configuration, and do nothing else")

    /// The files that a command line is about. Nil where it names another store and no configuration:
    /// the schedules of the usual one belong to the usual store.
    static func files(_ arguments: Arguments) -> ConfigurationFiles? {
        if let path = arguments.value(option) { return ConfigurationFiles(named: path) }
        guard arguments.value(.store) == nil else { return nil }
        return ConfigurationFiles.usual { Environment.value($0) }
    }

    /// Reads the configuration, or prints its faults.
    ///
    /// - Returns: nil where there is no file.
    static func read(
        _ files: ConfigurationFiles
    ) throws(CommandError) -> ServiceConfiguration? {
        do throws(ConfigurationFiles.Failure) {
            return try files.read()
        } catch {
            switch error {
            case .file(let error):
                throw CommandError(
                    .faults, error.message, fault: Fault.named(ConfigurationRule.file.rawValue),
                    notes: ["nothing was changed, and nothing is launched"])
            case .faults(let faults):
                throw CommandError(
                    .faults, faults.map(\.rendered).joined(separator: "\n\n"),
                    notes: ["nothing was changed, and nothing is launched"], isLaidOut: true)
            }
        }
    }

    /// Prints what a sound configuration says, and what its commands lack.
    static func check(
        _ files: ConfigurationFiles?, _ console: Console
    ) throws(CommandError) -> ExitCode {
        guard let files else {
            throw CommandError(
                .usage, "there is no configuration to check",
                help: ["name it: --config FILE"])
        }
        guard let configuration = try read(files) else {
            throw CommandError(
                .missing, "there is no configuration at \(files.path)",
                notes: ["`curfew serve` runs without one, and then has no schedules"],
                help: ["name another: --config FILE"])
        }
        let out = console.out
        for file in configuration.files {
            out.line("\(Shown.line(file)): \(out.paint("ok", .good))")
        }
        let lacks = configuration.schedules.compactMap { schedule in
            lack(of: schedule).map { (schedule.name, $0) }
        }
        let now = csys_realtime_ns()
        let width = configuration.schedules.map(\.name.count).max() ?? 0
        for schedule in configuration.schedules {
            let rule = schedule.description.repetition.map { RequestText.repetition($0) } ?? ""
            let next = schedule.description.repetition?.next(after: now, in: LocalZone())
            let when =
                schedule.isEnabled
                ? next.map { "next " + DateText.both($0, at: now) } ?? "never due" : "off"
            out.line("  \(Shown.padded(schedule.name, width))  \(rule); \(when)")
        }
        for (name, lack) in lacks {
            out.line("\(out.paint("warning", .alarm)): schedule \(name): \(Shown.line(lack))")
        }
        return lacks.isEmpty ? .ok : .faults
    }

    /// Why the program of a schedule could not be started now.
    private static func lack(of schedule: Schedule) -> String? {
        guard schedule.description.identifier == CommandPayload.identifier,
            let command = CommandPayload(schedule.payload)
        else { return nil }
        var status = stat()
        let program = command.arguments[0]
        if stat(program, &status) != 0 {
            return "the program \(program): \(String(cString: strerror(errno)))"
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(program, X_OK) == 0 else {
            return "\(program) is no program that this user may run"
        }
        guard stat(command.directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return "there is no directory \(command.directory)"
        }
        return nil
    }

    // MARK: Help

    static let rows = [
        ("schedules", "a list of schedules, as below"),
        ("store", "the directory of the store; default: the usual one"),
        ("plugins", "{directories, isolation, confine, trust}: as the options"),
    ]

    static let scheduleRows = [
        ("name", "up to 64 of a-z, 0-9 and -; required"),
        ("command", "a program with an absolute path, and its arguments: a list of texts"),
        ("identifier", "in place of `command`: a handler of a plugin"),
        ("every", "a span such as 15min, from 1s to 366d; the first launch is one span later"),
        ("cron", "in place of `every`: five fields, in the machine's time zone"),
        ("zone", "\"UTC\": the fields of `cron` are in UTC"),
        ("payload, payloadFile", "a text, or a file that is read with the configuration"),
        ("directory, environment", "of a command; default / and what every program gets"),
        ("budget, grace", "of a command; default 10min and 10s"),
        ("kind, needs, priority", "as in `curfew submit`; default processing, [], normal"),
        ("catchUp", "of dates that passed: once (the default), skip or all"),
        ("jitter", "a span by which dates are moved at random; default 0s"),
        ("retry", "{attempts, base, longest, jitter}; default: one attempt"),
        ("enabled", "false: it keeps its name, and is not launched"),
    ]
}
