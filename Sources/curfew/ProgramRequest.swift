// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
import PluginBridge
import Scheduling

/// A program on the command line in place of a handler: `curfew run -- rsync -a a b`.
struct ProgramRequest {
    static let variableOption = CommandOption(
        name: "env", value: "NAME=VALUE", mayBeEmpty: true, isRepeated: true,
        summary: "a variable of the program's environment, which is stored")
    static let directoryOption = CommandOption(
        name: "directory", value: "DIR", sort: .directory,
        summary: "the program's directory, in place of this one")

    private static let budgetOption = CommandOption(
        name: "budget", value: "TIME",
        summary: "the program's budget, at most 24h; default 10min")
    private static let graceOption = CommandOption(
        name: "grace", value: "TIME",
        summary: "its time between SIGTERM and SIGKILL, at most 10min; default 5s")
    /// The options of a program that is stored.
    static let storedOptions = [directoryOption, variableOption, budgetOption, graceOption]

    /// The words as they were typed.
    let words: [String]
    private let path: String
    private let directory: String
    private let environment: [(name: String, value: String)]
    /// Durations as they were typed.
    private var limits: [(key: String, value: JSONItem)] = []

    /// Nil where the command line names no program. Throws where there is no such program, and where
    /// there is none for its options.
    ///
    /// - Parameters:
    ///   - options: of programs alone.
    ///   - keeps: whether the program gets a variable of this process.
    ///   - code: the exit status for a program that is not found.
    init?(
        _ arguments: Arguments, options: [CommandOption] = [],
        variables keeps: (String) -> Bool, failingWith code: ExitCode
    ) throws(CommandError) {
        guard let first = arguments.program.first else {
            guard let option = options.first(where: { arguments.has($0) }) else { return nil }
            throw CommandError(
                code, "`--\(option.name)` is for a program, and this is a handler",
                help: ["write the program after --: -- /usr/local/bin/backup"])
        }
        words = arguments.program
        guard let folder = getcwd(nil, 0) else {
            throw CommandError(
                code, "the working directory cannot be found: \(String(cString: strerror(errno)))")
        }
        let here = String(cString: folder)
        free(folder)
        directory = try Self.directory(arguments, from: here, failingWith: code)
        guard let found = Self.find(first, from: directory) else {
            let isPath = first.utf8.contains(UInt8(ascii: "/"))
            throw CommandError(
                code, "there is no program `\(first)`",
                notes: [
                    isPath
                        ? "the file is missing, or may not be executed"
                        : "none of the directories of PATH has it"
                ],
                help: [
                    isPath
                        ? "ls -l \(ShellWord.quoted(first))"
                        : "give its path: -- /usr/local/bin/backup"
                ])
        }
        path = found
        let own = try Self.variables(arguments, failingWith: code)
        environment =
            Environment.all.filter { variable in
                keeps(variable.name) && !own.contains { $0.name == variable.name }
            } + own
        for (option, range) in [
            (Self.budgetOption, Manifest.budgetRange), (Self.graceOption, Manifest.graceRange),
        ] where options.contains(where: { $0.name == option.name }) {
            guard try DurationArgument.value(of: option, in: arguments, range: range) != nil,
                let text = arguments.value(option)
            else { continue }
            limits.append((option.name, .text(text)))
        }
    }

    private static func directory(
        _ arguments: Arguments, from here: String, failingWith code: ExitCode
    ) throws(CommandError) -> String {
        guard let typed = arguments.value(directoryOption) else { return here }
        let path = typed.begins(with: "/") ? typed : here + "/" + typed
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandError(
                code, "there is no directory `\(typed)`", notes: ["nothing was stored"],
                help: ["create it first, or name another: --directory /srv"])
        }
        return path
    }

    /// The variables of the command line; of two with one name, the last.
    private static func variables(
        _ arguments: Arguments, failingWith code: ExitCode
    ) throws(CommandError) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        for text in arguments.values(variableOption) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandError(
                    code, "`\(text)` is no variable with its value", notes: ["nothing was stored"],
                    help: ["write --env NAME=VALUE"])
            }
            found.removeAll { $0.name == parts[0] }
            found.append((String(parts[0]), String(parts[1])))
        }
        return found
    }

    private static func find(_ program: String, from directory: String) -> String? {
        if program.utf8.contains(UInt8(ascii: "/")) {
            let path = program.begins(with: "/") ? program : directory + "/" + program
            return isProgram(path) ? path : nil
        }
        for folder in (Environment.value("PATH") ?? "/usr/local/bin:/usr/bin:/bin").parts(at: ":") {
            let path =
                (folder.begins(with: "/") ? folder : directory + "/" + folder) + "/" + program
            if isProgram(path) { return path }
        }
        return nil
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && access(path, X_OK) == 0
    }

    /// Whether a stored request keeps a variable of the process that submits it.
    static func isStored(_ name: String) -> Bool {
        ["PATH", "LANG", "LANGUAGE", "TZ"].contains(name) || name.hasPrefix("LC_")
    }

    /// The payload of the handler that runs it.
    var payload: [UInt8] {
        let item = JSONItem.object(
            [
                ("argv", .list(([path] + words.dropFirst()).map { .text($0) })),
                ("directory", .text(directory)),
                (
                    "environment",
                    .object(environment.map { (key: $0.name, value: .text($0.value)) })
                ),
            ] + limits)
        return Array(item.written.utf8)
    }

    /// A manifest that declares the handler which runs it.
    func manifest() throws(CommandError) -> Manifest {
        let handler = JSONItem.object([
            ("identifier", .text(CommandPayload.identifier)), ("kind", .text("processing")),
            ("form", .text("command")),
            ("command", .object([("argv", .list([.text(path)]))])),
        ])
        let item = JSONItem.object([
            ("id", .text(CommandPayload.identifier)), ("version", .text("0.0.0")),
            ("abi", .integer(Int64(CURFEW_ABI_VERSION))), ("handlers", .list([handler])),
        ])
        switch Manifest.parse(bytes: Array(item.written.utf8), file: "the command line") {
        case .success(let manifest): return manifest
        case .failure(let faults): throw CommandError(.usage, faults.rendered, isLaidOut: true)
        }
    }
}
