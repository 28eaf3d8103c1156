// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling

/// The words after a command's name, parsed by getopt_long(3).
struct Arguments {
    /// The values of each option that was given, "" for one that has none.
    private var values: [String: [String]] = [:]
    private(set) var operands: [String] = []
    /// The program after `--` and its arguments, for a command that takes one.
    private(set) var program: [String] = []

    func has(_ option: CommandOption) -> Bool { values[option.name] != nil }
    /// The last one wins, as it does everywhere.
    func value(_ option: CommandOption) -> String? { values[option.name]?.last }
    func values(_ option: CommandOption) -> [String] { values[option.name] ?? [] }

    /// The sonames of the system's libraries whose functions a manifest may call: the usual ones,
    /// and those of `--system-library`.
    var systemLibraries: [String] {
        get throws(CommandError) {
            let named = values(.systemLibrary)
            if let other = named.first(where: { !SystemLibrary.isName($0) }) {
                throw CommandError(
                    .usage, "`\(other)` is not the soname of a library",
                    help: ["write `--system-library libz.so.1`, without a directory"])
            }
            return SystemLibrary.usual + named
        }
    }

    /// Where the code of plugins is to run, whatever their manifests ask for; nil if that is not said.
    var isolation: Isolation? {
        get throws(CommandError) {
            guard let word = value(.isolation) else { return nil }
            guard let isolation = Isolation(name: word) else {
                throw CommandError(
                    .usage,
                    "`--isolation` takes thread, process or fresh, not `\(Shown.line(word))`",
                    help: ["--isolation process"])
            }
            return isolation
        }
    }

    /// Returns what happens to plugins that are not signed: the policy of `--trust`, else that of
    /// the variable `CURFEW_TRUST`, else `usual`.
    func trust(usual: TrustPolicy = .off) throws(CommandError) -> TrustPolicy {
        let option = value(.trust)
        let variable = TrustVariable.value
        guard let word = option ?? variable else { return usual }
        guard let policy = TrustPolicy(name: word) else {
            let name = option == nil ? "the variable \(TrustVariable.name)" : "`--trust`"
            // A policy that was misspelt must not be none.
            throw CommandError(
                .usage, "\(name) takes off, warn or require, not `\(Shown.line(word))`",
                help: ["--trust require"])
        }
        return policy
    }

    /// Reads the words after `owner`, which is only shown: `curfew run`.
    ///
    /// - Parameters:
    ///   - upToOperand: leave the first operand and everything after it in `operands`.
    ///   - takesProgram: what stands after the first `--` is a program with its arguments.
    init(
        _ words: [String], of owner: String, options: [CommandOption], upToOperand: Bool = false,
        takesProgram: Bool = false
    ) throws(CommandError) {
        var words = words
        if takesProgram, let place = words.firstIndex(of: "--") {
            program = Array(words[(place + 1)...])
            words = Array(words[..<place])
            guard let first = program.first, !first.isEmpty else {
                throw CommandError(
                    .usage, "there is no program after `--`",
                    help: ["write `\(owner) -- PROGRAM ARGUMENT…`", Arguments.helpCall(owner)])
            }
        }
        var vector = ([owner] + words).map { strdup($0) } + [nil]
        // getopt moves the pointers about, but loses none.
        defer { for word in vector { free(word) } }
        let names = options.map { strdup($0.name) }
        defer { for name in names { free(name) } }
        let table = zip(names, options).enumerated().map { index, pair in
            csys_option(
                name: UnsafePointer(pair.0), has_argument: pair.1.value == nil ? 0 : 1,
                value: Int32(1_000 + index))
        }
        // With a leading colon getopt reports a missing value and an unknown option differently.
        let letters =
            (upToOperand ? "+:" : ":") + options.compactMap(\.letter).map(String.init).joined()
        csys_getopt_reset()
        let count = Int32(words.count + 1)
        while true {
            let found = vector.withUnsafeMutableBufferPointer {
                csys_getopt_long(count, $0.baseAddress, letters, table, Int32(table.count))
            }
            if found == -1 { break }
            let next = Int(csys_optind())
            let word = String(cString: vector[next - 1]!)
            switch found {
            case Int32(UInt8(ascii: ":")):
                throw Arguments.lacksValue(word, options, owner)
            case Int32(UInt8(ascii: "?")):
                throw Arguments.unknown(word, options, owner, csys_optopt())
            case 1_000...:
                let option = options[Int(found) - 1_000]
                let argument = csys_optarg()
                // getopt takes beginnings of names too; they would come to mean something else
                // when an option is added.
                let isApart = argument != nil && argument == UnsafePointer(vector[next - 1])
                let typed = isApart ? String(cString: vector[next - 2]!) : word
                guard typed.parts(at: "=").first ?? "" == "--" + option.name else {
                    throw Arguments.unknown(typed, options, owner, 0)
                }
                try add(option, argument.map { String(cString: $0) } ?? "", owner)
            default:
                guard
                    let option = options.first(where: {
                        $0.letter?.asciiValue.map(Int32.init) == found
                    })
                else { throw Arguments.unknown(word, options, owner, found) }
                try add(option, "", owner)
            }
        }
        operands = vector[Int(csys_optind())...].compactMap { $0.map { String(cString: $0) } }
    }

    private mutating func add(
        _ option: CommandOption, _ value: String, _ owner: String
    ) throws(CommandError) {
        if option.value != nil, !option.isRepeated, values[option.name] != nil {
            throw CommandError(
                .usage, "`--\(option.name)` was given twice", help: [Arguments.helpCall(owner)])
        }
        if option.value != nil, !option.mayBeEmpty, value.isEmpty {
            throw CommandError(
                .usage, "the value of `--\(option.name)` is empty",
                help: ["write `\(option.usage)`", Arguments.helpCall(owner)])
        }
        values[option.name, default: []].append(value)
    }

    /// The call that explains a command, `curfew help run`.
    static func helpCall(_ owner: String) -> String {
        let words = owner.split(separator: " ")
        return (words.prefix(1) + ["help"] + words.dropFirst()).joined(separator: " ")
    }

    private static func lacksValue(
        _ word: String, _ options: [CommandOption], _ owner: String
    ) -> CommandError {
        // getopt takes the beginning of a name for the name.
        guard let option = options.first(where: { "--" + $0.name == word }) else {
            return unknown(word, options, owner, 0)
        }
        return CommandError(
            .usage, "`\(word)` lacks its value", help: ["write `\(option.usage)`", helpCall(owner)])
    }

    private static func unknown(
        _ word: String, _ options: [CommandOption], _ owner: String, _ code: Int32
    ) -> CommandError {
        // getopt reports the letter of `-xyz`, and nothing of an unknown long name.
        let typed = String(word.prefix { $0 != "=" })
        if code >= 1_000, Int(code) - 1_000 < options.count {
            let option = options[Int(code) - 1_000]
            return CommandError(
                .usage, "`--\(option.name)` takes no value", help: [helpCall(owner)])
        }
        if !typed.hasPrefix("--"), code > 0, let scalar = Unicode.Scalar(UInt32(code)) {
            return CommandError(
                .usage, "`\(owner)` has no option `-\(scalar)`", help: [helpCall(owner)])
        }
        var help = [helpCall(owner)]
        let name = String(typed.dropFirst(2))
        // A beginning of one name is that name; getopt would have taken it.
        let beginnings = options.map(\.name).filter { !name.isEmpty && $0.hasPrefix(name) }
        let meant =
            beginnings.count == 1
            ? beginnings[0] : Suggestion.nearest(to: name, among: options.map(\.name))
        if let meant { help.insert("did you mean `--\(meant)`?", at: 0) }
        return CommandError(.usage, "`\(owner)` has no option `\(typed)`", help: help)
    }
}
