// SPDX-License-Identifier: Apache-2.0
import Conformance
import Glibc
import PluginBridge
import Scheduling

/// The parsed arguments of `curfew conform`.
struct ConformRequest {
    /// The directories of plugins, as they were given.
    let paths: [String]
    let selection: Selection
    let rounds: Int
    let seed: UInt64
    let isReproducing: Bool
    /// Nanoseconds for each plugin; nil: as many as it needs.
    let time: UInt64?
    let isInProcess: Bool
    /// Where the plugin's code runs, one after the other.
    let isolations: [Isolation]
    /// The reports that are written to files.
    let files: [ReportFile]

    init(_ arguments: Arguments) throws(CommandError) {
        var selection = try ConformCommand.selection(arguments)
        let reproduced = try Self.seed(ConformCommand.reproduceOption, arguments)
        let given = try Self.seed(ConformCommand.seedOption, arguments)
        isReproducing = reproduced != nil
        if isReproducing {
            if selection.only.isEmpty { selection.only = ["fuzz-*", "chaos"] }
            let cases = selection.cases
            guard !cases.isEmpty, cases.allSatisfy(\.isSeeded) else {
                throw CommandError(
                    .usage,
                    "`--reproduce` is for the cases with chance in them, fuzz-calls, fuzz-payload and chaos",
                    help: ["write `--only fuzz-calls --reproduce N`"])
            }
            guard given == nil else {
                throw CommandError(
                    .usage, "`--reproduce` names a seed, and so does `--seed`: one is enough",
                    help: ["curfew help conform"])
            }
        }
        isInProcess = arguments.has(ConformCommand.inProcessOption)
        // In one process, a case would see what the case before left behind.
        if isInProcess, selection.only.isEmpty || selection.cases.count > 1 {
            let count =
                selection.only.isEmpty ? "none is named" : "these are \(selection.cases.count)"
            throw CommandError(
                .usage, "in this process one case can be run, and \(count)",
                help: ["write `--in-process --only CASE`", "curfew conform --list"])
        }
        switch arguments.value(ConformCommand.isolationOption) {
        case "thread": isolations = [.thread]
        case "process": isolations = [.process]
        case "both": isolations = [.thread, .process]
        case nil: isolations = isInProcess ? [.thread] : [.thread, .process]
        case let word?:
            throw CommandError(
                .usage,
                "`--isolation` takes thread, process or both, not `\(Shown.line(word))`",
                help: ["--isolation process"])
        }
        guard !isInProcess || isolations.count == 1 else {
            throw CommandError(
                .usage, "`--in-process` runs one case once, and `--isolation both` is twice",
                help: ["write `--isolation thread` or `--isolation process`"])
        }
        self.selection = selection
        seed = reproduced ?? given ?? UInt64.random(in: 1...UInt64(Int32.max))
        rounds = try ConformCommand.number(ConformCommand.repeatOption, arguments, 1...10_000) ?? 1
        files = try ReportFile.asked(arguments)
        time = try DurationArgument.value(
            of: ConformCommand.timeOption, in: arguments, range: 1_000_000_000...86_400_000_000_000)
        var paths: [String] = []
        for operand in arguments.operands { paths.append(try Self.directory(operand)) }
        self.paths = paths
    }

    /// Integers that every JSON parser represents exactly.
    private static var seeds: ClosedRange<UInt64> { 0...(1 << 53 - 1) }

    private static func seed(
        _ option: CommandOption, _ arguments: Arguments
    ) throws(CommandError) -> UInt64? {
        guard let text = arguments.values(option).first else { return nil }
        guard let seed = UInt64(text), seeds.contains(seed) else {
            throw CommandError(
                .usage,
                "`--\(option.name)` takes a whole number up to \(seeds.upperBound), not `\(Shown.line(text))`",
                help: ["curfew help conform"])
        }
        return seed
    }

    /// The seed of a round; what is reproduced stays the same.
    func seed(ofRound round: Int) -> UInt64 {
        isReproducing ? seed : (seed &+ UInt64(round)) & Self.seeds.upperBound
    }

    /// A plugin is a directory; its manifest and its library stand for it.
    private static func directory(_ path: String) throws(CommandError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CommandError(
                .usage,
                "there is no plugin `\(Shown.line(path))`: \(String(cString: strerror(errno)))",
                help: ["curfew plugins"])
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            guard access(path + "/" + Manifest.fileName, F_OK) == 0 else {
                throw CommandError(
                    .usage,
                    "\(Shown.line(path)) is no plugin: there is no \(Manifest.fileName) in it",
                    help: ["give the directory of a plugin"])
            }
            return path
        }
        let parts = path.parts(at: "/", omittingEmpty: false).dropLast()
        let directory = parts.joined(separator: "/")
        let folder = directory.isEmpty ? (path.begins(with: "/") ? "/" : ".") : directory
        guard access(folder + "/" + Manifest.fileName, F_OK) == 0 else {
            throw CommandError(
                .usage,
                "\(Shown.line(path)) is no plugin: there is no \(Manifest.fileName) beside it",
                notes: ["a plugin is a directory with a manifest, and usually a library"],
                help: ["give the directory of a plugin"])
        }
        return folder
    }
}
