// SPDX-License-Identifier: Apache-2.0
import Conformance
import Curfew
import Glibc
import PluginBridge
import Scheduling

/// Words that a shell may offer for the last of some words, when its Tab key is pressed.
///
/// The scripts of `curfew completions` know no command and no option, they ask the program itself:
/// what they offer is what it takes. The answer is a line with what the shell is to add, a tab and
/// what stands before a file's name in the word; then a line for each word, a tab and its meaning.
struct Completion {
    /// The words that the shell completes itself: file names, or those of another program's command
    /// line.
    enum Files: String {
        case none, files, directories, program
    }

    private(set) var files = Files.none
    /// The part of the last word before a file name: `--plugins=`, `@`. Of a program, the number of
    /// words before its name.
    private(set) var lead = ""
    private(set) var words: [(word: String, text: String)] = []

    /// The first word of the command line of a shell's question; it stands in no help.
    static var name: String { "__complete" }

    /// Returns nil where the words are no such question.
    static func run(_ words: [String], _ console: Console) -> ExitCode? {
        guard words.first == name else { return nil }
        let completion = Completion(Array(words.dropFirst()))
        console.out.line("\(completion.files.rawValue)\t\(completion.lead)")
        for (word, text) in completion.words {
            console.out.line("\(Shown.line(word))\t\(Shown.line(text))")
        }
        return .ok
    }

    /// - Parameter typed: what stands after the program's name, up to the cursor; the last word may
    ///   be empty.
    init(_ typed: [String]) {
        let last = typed.last ?? ""
        let before = typed.dropLast()
        // No option before the command has a value.
        guard let start = before.firstIndex(where: { !$0.hasPrefix("-") }) else {
            if last.hasPrefix("-") {
                offer(HelpText.programOptions, but: [])
            } else {
                words = CommandTable.all.map { ($0.name, $0.summary) }
            }
            return
        }
        guard let command = CommandTable.all.first(where: { $0.name == before[start] }) else {
            return
        }
        if command.takesProgram, let end = before[(start + 1)...].firstIndex(of: "--") {
            files = .program
            // With the name of this program.
            lead = String(end + 2)
            return
        }
        read(before[(start + 1)...], last, command)
    }

    private mutating func read(_ before: ArraySlice<String>, _ last: String, _ command: Command) {
        var pending: CommandOption?
        var given: Set<String> = []
        var values: [String: [String]] = [:]
        var operands = 0
        var isOver = false
        for word in before {
            if let option = pending {
                values[option.name, default: []].append(word)
                pending = nil
            } else if isOver || !word.hasPrefix("-") || word == "-" {
                operands += 1
            } else if word == "--" {
                isOver = true
            } else if let option = Completion.option(word, command) {
                given.insert(option.name)
                let parts = word.split(separator: "=", maxSplits: 1)
                if parts.count == 2 {
                    values[option.name, default: []].append(String(parts[1]))
                } else if option.value != nil, !word.contains("=") {
                    pending = option
                }
            }
        }
        if let pending {
            offer(pending.sort, last, values)
        } else if !isOver, last.hasPrefix("--"), let equals = last.firstIndex(of: "="),
            let option = Completion.option(last, command), option.value != nil
        {
            lead = String(last[...equals])
            offer(option.sort, String(last[last.index(after: equals)...]), values)
            words = words.map { (lead + $0.word, $0.text) }
        } else if !isOver, last.hasPrefix("-") || operands >= command.operandCount.upperBound {
            offer(command.allOptions, but: given)
        } else if operands < command.operandCount.upperBound {
            offer(command.operandSort, last, values)
        }
    }

    private static func option(_ word: String, _ command: Command) -> CommandOption? {
        let name = word.prefix { $0 != "=" }
        return command.allOptions.first { option in
            name == "--" + option.name || option.letter.map { name == "-\($0)" } ?? false
        }
    }

    private mutating func offer(_ options: [CommandOption], but given: Set<String>) {
        words = options.filter { $0.isRepeated || !given.contains($0.name) }.map {
            ("--" + $0.name, HelpText.text($0))
        }
    }

    private mutating func offer(
        _ sort: ValueSort, _ last: String, _ values: [String: [String]]
    ) {
        switch sort {
        case .text: break
        case .words(let fixed): words = fixed.map { ($0, "") }
        case .list(let fixed):
            let chosen = last.split(separator: ",", omittingEmptySubsequences: false).dropLast()
            words = fixed.filter { !chosen.contains($0[...]) }.map {
                ((chosen + [$0[...]]).joined(separator: ","), "")
            }
        case .directory: files = .directories
        case .file: files = .files
        case .payload:
            guard last.begins(with: "@") else { break }
            files = .files
            lead += "@"
        case .handler: words = handlers(values).map { ($0.identifier, Completion.text($0)) }
        case .plugin:
            files = .directories
            words =
                search(values)?.plugins.compactMap { plugin in
                    plugin.sound.map { ($0.id, "plugin \($0.version)") }
                } ?? []
            words += handlers(values).filter { handler in
                !words.contains { $0.word == handler.identifier }
            }.map { ($0.identifier, Completion.text($0)) }
        case .manifest: files = .files
        case .fault: words = Fault.all.flatMap { [($0.code, $0.text), ($0.name, $0.text)] }
        case .conformanceCase: words = ConformanceCase.all.map { ($0.name, $0.fault.text) }
        case .request:
            words = requests(values, areOver: false)
        case .history: words = requests(values, areOver: true)
        case .command: words = CommandTable.all.map { ($0.name, $0.summary) }
        case .language: words = PluginLanguage.allCases.map { ($0.rawValue, $0.title) }
        }
    }

    // MARK: What is found

    private static func text(_ handler: ManifestHandler) -> String {
        "\(handler.kind.name), budget \(TimeText.limit(handler.budget))"
    }

    private func handlers(_ values: [String: [String]]) -> [ManifestHandler] {
        (search(values)?.plugins ?? []).filter(\.isUsable).flatMap { $0.sound?.handlers ?? [] }
    }

    private static func text(_ request: Request) -> String {
        "\(request.description.identifier), \(RequestText.state(request))"
    }

    /// Returns the first requests of the store that the words before name.
    private func requests(
        _ values: [String: [String]], areOver: Bool
    ) -> [(word: String, text: String)] {
        let named = values[CommandOption.store.name]?.last.map(Completion.expanded)
        guard let directory = named ?? StorePlace.usual,
            let store = try? StoreClient(directory: directory)
        else { return [] }
        let filter = RequestFilter(
            states: Set(RequestState.allCases.filter { $0.isLive != areOver }), limit: 200)
        let found = try? store.read { (transaction) throws(StoreFault) in
            try transaction.overview(filter).requests
        }
        return (found ?? []).map { (String($0.id.rawValue), Completion.text($0)) }
    }

    /// A shell that asks has not yet put the home directory in the place of its sign.
    private static func expanded(_ word: String) -> String {
        guard word.begins(with: "~/"), let home = Environment.value("HOME") else { return word }
        return home + String(word.unicodeScalars.dropFirst())
    }

    /// The plugins of the places that the words before name.
    private func search(_ values: [String: [String]]) -> PluginSearch? {
        func directories(_ option: CommandOption) -> [String] {
            (values[option.name] ?? []).map(Completion.expanded)
        }
        return try? PluginSearch(
            single: directories(.plugin), named: directories(.plugins), failingWith: .faults)
    }
}
