// SPDX-License-Identifier: Apache-2.0
import Glibc
import PluginBridge
import PluginStore
import Scheduling

/// `curfew trust`
enum TrustCommand {
    private static let prefixOption = CommandOption(
        name: "prefix", value: "PREFIX", isRepeated: true,
        summary: "for add: the plugins that the key may sign: org.example, or * for all")

    static let command = Command(
        name: "trust", summary: "list, add or remove the keys that may sign plugins",
        operands: "list|add FILE|remove KEY", operandCount: 1...2, operandSort: .file,
        options: [prefixOption, InstallPlace.systemOption, .json],
        details: [
            """
            add copies a public key of minisign into the directory of keys. --prefix
            org.example lets it sign the plugin org.example and all whose ids begin with
            org.example. and a point; added again, the key may sign more. remove takes the
            number of a key, as list prints it.
            """,
            """
            The keys of the system count for every user, those of a user for that user. A
            key in a file that another user could change does not count.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "the keys are printed, or changed"), ExitMeaning.unwritten,
            ExitMeaning.usage,
        ] + ExitMeaning.installing + [
            ExitMeaning(.refused, "the file is no public key"),
            ExitMeaning(.notFound, "there is no such key or file"),
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("keys", "each with key (its number), prefixes and file"),
                    ("faults", "why files do not count, as texts"),
                    ("added, removed", "for add and remove: the number of the key"),
                ])
        ],
        examples: ["curfew trust list", "curfew trust add author.pub --prefix org.example"]
    ) { arguments, console throws(CommandError) in
        let place = try InstallPlace(arguments)
        let words = arguments.operands
        guard words[0] == "add" || !arguments.has(prefixOption) else {
            throw CommandError(
                .usage, "`--prefix` belongs to `curfew trust add`", help: ["leave it out"])
        }
        switch (words[0], words.dropFirst().first) {
        case ("list", nil): list(place, arguments, console)
        case ("add", let file?): try add(file, place, arguments, console)
        case ("remove", let key?): try remove(key, place, arguments, console)
        case ("add", nil):
            throw CommandError(
                .usage, "`curfew trust add` lacks the file of a key",
                help: ["write `curfew trust add FILE --prefix org.example`"])
        case ("remove", nil):
            throw CommandError(
                .usage, "`curfew trust remove` lacks the number of a key",
                help: ["curfew trust list"])
        default:
            throw CommandError(
                .usage, "`curfew trust` has no operation `\(words.joined(separator: " "))`",
                help: [
                    "write `curfew trust list`, `curfew trust add FILE` or `curfew trust remove KEY`",
                    "curfew help trust",
                ])
        }
        return .ok
    }

    // MARK: Listing

    private static func list(_ place: InstallPlace, _ arguments: Arguments, _ console: Console) {
        let keys = place.keys
        let out = console.out
        guard !arguments.has(.json) else {
            out.line(
                JSONItem.object([
                    ("keys", .list(keys.keys.map(item))),
                    ("faults", .list(keys.faults.map { .text($0.message) })),
                ]).written)
            return
        }
        let columns = max(40, out.columns ?? 100)
        for key in keys.keys {
            let prefixes = key.prefixes.map(\.description).joined(separator: ", ")
            out.line("\(out.paint(key.id.description, .strong))  \(key.file)")
            for line in Shown.wrapped("may sign \(prefixes)", columns - 2) { out.line("  " + line) }
        }
        if keys.keys.isEmpty {
            out.line(
                out.wrapped(
                    "no key is trusted in \(place.keyDirectories.joined(separator: " and "))",
                    after: 0, indent: 2))
        }
        for fault in keys.faults {
            out.line(
                out.paint("note", .warning) + ": "
                    + out.wrapped(Shown.line(fault.message), after: 6, indent: 6))
        }
    }

    private static func item(_ key: TrustedKey) -> JSONItem {
        .object([
            ("key", .text(key.id.description)),
            ("prefixes", .list(key.prefixes.map { .text($0.description) })),
            ("file", .text(key.file)),
        ])
    }

    // MARK: Adding

    private static func add(
        _ path: String, _ place: InstallPlace, _ arguments: Arguments, _ console: Console
    ) throws(CommandError) {
        var prefixes: [IdentifierPrefix] = []
        for word in arguments.values(prefixOption) {
            guard let prefix = IdentifierPrefix(word) else {
                throw CommandError(
                    .usage, "`\(Shown.line(word))` is not the beginning of a plugin's id",
                    help: ["write `--prefix org.example`, without a point at the end"])
            }
            prefixes.append(prefix)
        }
        guard !prefixes.isEmpty else {
            throw CommandError(
                .usage, "`curfew trust add` lacks what the key may sign",
                help: [
                    "write `--prefix org.example`, the beginning of the author's ids",
                    "--prefix '*' for all plugins",
                ])
        }
        let (key, text) = try read(path)
        let root = try place.open(console)
        let folder = KeyFolder(place.ownKeys)
        try folder.make()
        let known = TrustedKeys(in: [place.ownKeys]).named(key.id)
        if let other = known.first(where: { $0.key.bytes != key.bytes }) {
            throw CommandError(
                .conflict, "\(other.file) is another key with the number \(key.id)",
                notes: ["nothing was changed"],
                help: ["curfew trust remove \(key.id)\(place.option)"])
        }
        for prefix in known.flatMap(\.prefixes) where !prefixes.contains(prefix) {
            prefixes.append(prefix)
        }
        try InstallPlace.translated { () throws(StoreFailure) in
            try root.record(AuditEntry(.trustAdded, id: key.id.description))
        }
        let file = try folder.write(key, text, prefixes)
        // It has to count from now on.
        let keys = TrustedKeys(in: [place.ownKeys])
        guard keys.named(key.id).contains(where: { $0.file == file }) else {
            throw CommandError(
                .denied, keys.faults.first?.message ?? "the key in \(file) does not count",
                notes: ["the key is in \(file)"])
        }
        let names = prefixes.map(\.description).joined(separator: ", ")
        if arguments.has(.json) {
            console.out.line(JSONItem.object([("added", .text(key.id.description))]).written)
        } else {
            console.out.line("\(key.id) may sign \(names)")
            console.out.line("  \(file)")
        }
    }

    /// Reads a key, and returns the line with it too.
    private static func read(
        _ path: String
    ) throws(CommandError) -> (key: MinisignKey, text: String) {
        let bytes: [UInt8]
        do throws(InputFile.Fault) {
            bytes = try InputFile.beginning(of: path, limit: MinisignReader.sizeLimit)
        } catch {
            throw CommandError(
                .notFound, "the key cannot be read from `\(path)`: \(error.reason)",
                notes: ["nothing was changed"],
                help: ["name the file that `minisign -G` wrote: minisign.pub"])
        }
        do throws(MinisignFault) {
            let key = try MinisignReader.key(bytes)
            let lines = String(decoding: bytes, as: UTF8.self).parts(at: "\n")
            return (key, String(lines.last ?? ""))
        } catch {
            throw CommandError(
                .refused, "`\(path)` \(error.message), so it is no public key of minisign",
                fault: Fault.named(LoadRule.signatureFile.rawValue),
                notes: ["nothing was changed"],
                help: ["name the file that `minisign -G` wrote: minisign.pub"])
        }
    }

    // MARK: Removing

    private static func remove(
        _ word: String, _ place: InstallPlace, _ arguments: Arguments, _ console: Console
    ) throws(CommandError) {
        guard let id = MinisignKeyID(word) else {
            throw CommandError(
                .usage, "`\(Shown.line(word))` is not the number of a key",
                help: ["curfew trust list"])
        }
        let root = try place.open(console)
        let known = TrustedKeys(in: [place.ownKeys]).named(id)
        guard !known.isEmpty else {
            throw CommandError(
                .notFound, "there is no key \(id) in \(place.ownKeys)",
                notes: ["nothing was changed"], help: ["curfew trust list"])
        }
        try InstallPlace.translated { () throws(StoreFailure) in
            try root.record(AuditEntry(.trustRemoved, id: id.description))
        }
        try KeyFolder(place.ownKeys).remove(known.map(\.file))
        if arguments.has(.json) {
            console.out.line(JSONItem.object([("removed", .text(id.description))]).written)
        } else {
            console.out.line("\(id) may sign nothing any more")
        }
        let others = place.keys.named(id)
        guard let other = others.first else { return }
        console.errors.line(
            "note: "
                + console.errors.wrapped(
                    "the same key is still trusted in \(other.file)", after: 6, indent: 6))
    }
}
