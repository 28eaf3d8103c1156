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

    /// Returns the files of a command line's configuration. Returns nil if the command line names a store and
    /// no configuration, since the schedules of the default configuration belong to the default store.
    static func files(_ arguments: Arguments) -> ConfigurationFiles? {
        var files: ConfigurationFiles?
        if let path = arguments.value(option) {
            files = ConfigurationFiles(named: path)
        } else if arguments.value(.store) == nil {
            files = ConfigurationFiles.usual { Environment.value($0) }
        }
        files?.thresholdCheck = HostThreshold.fault
        files?.isZone = { LocalZone().named($0) != nil }
        return files
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
            throw CommandError(error)
        }
    }

    /// The command that shows all faults of the configuration of a command line, wherever it is typed.
    static func checkLine(_ files: ConfigurationFiles, _ arguments: Arguments) -> String {
        "curfew serve --check"
            + (arguments.has(option) ? " --config " + ShellWord.path(files.path) : "")
    }

    /// The first of some faults on one line: its place, and how many more there are.
    static func first(of faults: [Diagnostic]) -> String {
        let isCut = faults.count >= Manifest.faultLimit
        let more =
            faults.count > 1 ? " (and \(isCut ? "at least " : "")\(faults.count - 1) more)" : ""
        return faults.first.map {
            "\($0.file)\($0.line > 0 ? ":\($0.line):\($0.column)" : ""): \($0.message)\(more)"
        } ?? ""
    }

    /// Prints what a configuration says, and what its commands lack.
    static func check(
        _ files: ConfigurationFiles?, _ arguments: Arguments, _ console: Console
    ) throws(CommandError) -> ExitCode {
        guard let files else {
            throw CommandError(
                .missing, "there is no configuration to check: --store names a store",
                notes: ["the usual configuration belongs to the usual store"],
                help: ["name one: --config FILE"])
        }
        let isJSON = arguments.has(.json)
        let configuration: ServiceConfiguration?
        do throws(ConfigurationFiles.Failure) {
            configuration = try files.read()
        } catch {
            if isJSON, case .faults(let faults) = error {
                console.out.line(item(ServiceConfiguration(), faults, Lacks()).written)
                return .faults
            }
            throw CommandError(error)
        }
        guard let configuration else {
            throw CommandError(
                .missing, "there is no configuration at \(files.path)",
                notes: ["`curfew serve` runs without one"],
                help: ["name another: --config FILE"])
        }
        // A URL that is malformed.
        _ = try StorePlace(arguments, configured: configuration.store)
        var lacks = Lacks()
        var search: PluginSearch?
        do throws(CommandError) {
            search = try PluginSearch(
                arguments, configured: configuration.plugins.directories, failingWith: .usage)
        } catch {
            lacks.plugins = error.message
        }
        for schedule in configuration.schedules {
            lacks.schedules[schedule.name] = lack(of: schedule, among: search)
        }
        _ = ControlAccess(configuration.control) { role, name in
            lacks.control.append(ControlAccess.text(unknown: name, role))
        }
        lacks.control += self.lacks(of: configuration.control)
        if let search {
            for id in configuration.plugins.overrides.keys.sorted()
            where !search.plugins.contains(where: { $0.sound?.id == id }) {
                lacks.overrides.append(
                    "no plugin found here has the id \(id), which has an override")
            }
        }
        if isJSON {
            console.out.line(item(configuration, [], lacks).written)
        } else {
            print(configuration, lacks, console.out)
        }
        return lacks.isEmpty ? .ok : .faults
    }

    /// The programs, handlers and directories that a configuration names and that do not exist.
    private struct Lacks {
        /// The directories of plugins.
        var plugins: String?
        /// The programs and handlers of schedules, by their names.
        var schedules: [String: String] = [:]
        /// Of the control socket.
        var control: [String] = []
        /// Of single plugins.
        var overrides: [String] = []

        var count: Int {
            schedules.count + control.count + overrides.count + (plugins == nil ? 0 : 1)
        }
        var isEmpty: Bool { count == 0 }
    }

    private static func next(of schedule: Schedule, after now: Int64) -> Int64? {
        guard schedule.isEnabled else { return nil }
        return schedule.description.repetition?.next(after: now, in: LocalZone())
    }

    private static func print(
        _ configuration: ServiceConfiguration, _ lacks: Lacks, _ out: Output
    ) {
        let word =
            lacks.isEmpty
            ? out.paint("ok", .good)
            : out.paint("\(lacks.count) fault\(lacks.count == 1 ? "" : "s")", .alarm)
        for file in configuration.files {
            out.line("\(Shown.line(file))" + (file == configuration.files.last ? ": \(word)" : ""))
        }
        let now = csys_realtime_ns()
        let width = configuration.schedules.map(\.name.count).max() ?? 0
        for schedule in configuration.schedules {
            let rule = schedule.description.repetition.map { RequestText.repetition($0) } ?? ""
            let when =
                schedule.isEnabled
                ? next(of: schedule, after: now).map { "next " + DateText.both($0, at: now) }
                    ?? "never due" : "off"
            out.line("  \(Shown.padded(schedule.name, width))  \(rule); \(when)")
        }
        for (part, lacks) in [("control", lacks.control), ("plugins", lacks.overrides)] {
            for lack in lacks {
                out.line("\(out.paint("fault", .alarm)): \(part): \(Shown.line(lack))")
            }
        }
        if let lack = lacks.plugins {
            out.line("\(out.paint("fault", .alarm)): plugins: \(Shown.line(lack))")
        }
        for (name, lack) in lacks.schedules.sorted(by: { $0.key < $1.key }) {
            out.line("\(out.paint("fault", .alarm)): schedule \(name): \(Shown.line(lack))")
        }
    }

    private static func item(
        _ configuration: ServiceConfiguration, _ faults: [Diagnostic], _ lacks: Lacks
    ) -> JSONItem {
        let now = csys_realtime_ns()
        let schedules = configuration.schedules.map { schedule in
            JSONItem.object([
                ("name", .text(schedule.name)), ("source", .text(schedule.source)),
                ("enabled", .bool(schedule.isEnabled)),
                (
                    "rule",
                    .text(
                        orNull: schedule.description.repetition.map { RequestText.repetition($0) })
                ),
                ("next", DateText.item(next(of: schedule, after: now))),
                ("fault", .text(orNull: lacks.schedules[schedule.name])),
            ])
        }
        return .object([
            ("ok", .bool(faults.isEmpty && lacks.isEmpty)),
            ("files", .list(configuration.files.map { .text($0) })),
            ("faults", .list(faults.map(FaultItem.item))),
            ("plugins", .text(orNull: lacks.plugins)),
            ("overrides", .list(lacks.overrides.map { .text($0) })),
            ("control", .list(lacks.control.map { .text($0) })), ("schedules", .list(schedules)),
        ])
    }

    /// Why other users could not reach the control socket.
    private static func lacks(of control: ControlSettings) -> [String] {
        guard let path = control.socket else {
            return control.mode == nil && control.roles.isEmpty
                ? []
                : [
                    "there is no `socket`, and other users cannot reach the one in the store's directory"
                ]
        }
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { $0.count } ?? 0
        let directory = String(decoding: path.utf8.dropLast(name), as: UTF8.self)
        var status = stat()
        guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return ["there is no directory \(directory) for the socket"]
        }
        // As sockets are bound: below /proc/self/fd.
        if name > 80 { return ["the name of the socket is longer than 80 bytes"] }
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            return ["\(path) is there, and is no socket"]
        }
        return []
    }

    /// Why the program of a schedule could not be started now, or its handler not be run.
    private static func lack(of schedule: Schedule, among search: PluginSearch?) -> String? {
        let identifier = schedule.description.identifier
        guard identifier == CommandPayload.identifier else {
            guard let search, search.plugin(declaring: identifier) == nil else { return nil }
            let meant = Suggestion.identifier(near: identifier, among: search.identifiers)
            return "no plugin found here has a handler for \(identifier)"
                + (meant.map { "; did you mean `\($0)`?" } ?? "; see `curfew plugins`")
        }
        guard let command = CommandPayload(schedule.payload) else { return nil }
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
        ("scheduleSet", "a name for them, where other files are for the same store: each"),
        ("", "file changes the schedules of its set only"),
        ("store", "the directory of the store, or its URL; default: the usual one"),
        ("plugins", "an object, as below"),
        ("factors", "{source}: kernel, its files (the default), bus, D-Bus and them, or none"),
        ("apps", "{enabled}: whether apps are started; default: by the host of the usual store;"),
        ("", "{atATime}: how many of them are being started at a time; default 2"),
        ("control", "an object, as below"),
        ("web", "{listen}: where the web page is, as 127.0.0.1:8700; default: see `curfew web`;"),
        ("", "{names}: other names of that place; {metrics}: true answers /metrics to anybody"),
        ("traces", "{endpoint, service, headers}: a collector of OpenTelemetry that gets each"),
        ("", "launch: its address, the name of the host there, and further header lines"),
        ("log", "{level}: lines below it are left out: debug, info (the default), warning, error;"),
        ("", "a failed end is a warning;"),
        ("", "{format}: text, json, or auto (the default), systemd's journal where it listens"),
        (
            "stop",
            "{grace}: the most that tasks may take to end with the host; default: what they have"
        ),
        ("thresholds", "{NAME: VALUE, …}: as the option --threshold"),
    ]

    static let pluginRows = [
        ("directories", "where plugins are searched; default: in the usual places"),
        ("isolation", "thread, process or fresh, for all of them"),
        ("confine, trust", "as the options"),
        ("start", "fork (the default), or exec: each process has addresses of its own"),
        ("require", "features without which no plugin is loaded, as `curfew inspect` names them"),
        ("idle", "a span after which a process with nothing to do is ended; default 10min"),
        ("limits", "{memory, fileSize, descriptors, processes}: the most of each process"),
        ("overrides", "{ID: {enabled, isolation, limits}, …}: of single plugins"),
    ]

    static let controlRows = [
        ("socket, mode", "the path of the socket for other users, and its permissions, 0660"),
        ("roles", "{read, submit, operate, admin}: each {users, groups}, names or numbers"),
        ("submitRate", "submissions a second of a user, ten times as many at once; 100"),
    ]

    static let scheduleRows = [
        ("name", "up to 64 of a-z, 0-9 and -, and no - first; required"),
        ("command", "a program with an absolute path, and its arguments: a list of texts"),
        ("identifier", "in place of `command`: a handler of a plugin"),
        ("every", "a span such as 15min, from 1s to 366d; the first launch is one span later"),
        ("cron", "in place of `every`: five fields, in the machine's time zone"),
        ("zone", "of `cron`: Europe/Berlin, UTC, …, or local (the default), the machine's"),
        ("payload, payloadFile", "a text, or a file that is read with the configuration"),
        ("directory, environment", "of a command; default / and what every program gets"),
        ("output", "of a command: log (the default), discard, or a file that is appended to"),
        ("budget, grace", "of a command; default 10min and 10s"),
        ("kind, needs, priority", "as in `curfew submit`; default processing, [], normal"),
        ("catchUp", "of dates that passed: once (the default), skip or all"),
        ("jitter", "a span by which dates are moved at random; default 0s"),
        ("retry", "{attempts, base, longest, jitter}; default: one attempt"),
        ("enabled", "false: it keeps its name, and is not launched"),
    ]
}

extension CommandError {
    /// The files of a configuration cannot be used.
    fileprivate init(_ failure: ConfigurationFiles.Failure) {
        let notes = ["nothing was changed, and nothing is launched"]
        switch failure {
        case .file(let error):
            self.init(
                .faults, error.message, fault: Fault.named(ConfigurationRule.file.rawValue),
                notes: notes)
        case .faults(let faults):
            self.init(
                .faults, faults.map(\.rendered).joined(separator: "\n\n"), notes: notes,
                isLaidOut: true)
        }
    }
}
