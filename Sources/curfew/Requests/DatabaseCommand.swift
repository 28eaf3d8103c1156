// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import Scheduling

/// `curfew db`
enum DatabaseCommand {
    private static let fullOption = CommandOption(
        name: "full", summary: "for check: also compare indexes with tables, which takes longer"
    )

    private static let rehearsalOption = CommandOption(
        name: "dry-run", summary: "for migrate: change the tables, and take it back")

    static let command = Command(
        name: "db", summary: "check, back up, migrate or repair a store",
        operands: "check|backup FILE|migrate|forget VALUE", operandCount: 1...2, operandSort: .file,
        options: [fullOption, rehearsalOption, .store, .json],
        details: [
            """
            check reads the whole file and reports what is invalid. backup copies the state
            of the store at one moment to FILE, which must not exist, in an existing
            directory; only its owner can read it. Both work while a host runs.
            """,
            """
            To restore a backup, stop the host, and copy the file to the directory as
            requests.db, without the files requests.db-wal and requests.db-shm.
            """,
            """
            migrate brings the tables of a store on a server to the version of this Curfew, which no
            other command and no host does. Hosts of the version before go on beside newer ones, unless
            the new tables need what they do not know: then it names one, and changes nothing. A store
            in a directory is brought up to date by the host that opens it first.
            """,
            """
            forget removes a value that a host or check could not read: host, day-budget,
            usage, clock, settings or quarantine. Requests stay. Without settings, suspended
            or removed handlers are launched again; without quarantine, all plugins are run.
            """,
        ],
        exits: [
            ExitMeaning(
                .ok, "the store is sound, or was copied or migrated, or the value was removed"),
            ExitMeaning(.faults, "the store is damaged, or the output could not be written"),
            ExitMeaning.usage, ExitMeaning.missing, ExitMeaning.denied,
            ExitMeaning.storeUnavailable,
            ExitMeaning(.conflict, "FILE exists; nothing was done"),
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    ("store", "the directory of the store"),
                    ("ok, faults", "for check: whether it is sound, and the faults as texts"),
                    ("backup, bytes", "for backup: the file, and its size"),
                    ("from, to", "for migrate: the version of the tables, before and after"),
                    ("forgotten", "for forget: the value"),
                ])
        ],
        examples: ["curfew db check --full", "curfew db backup requests-$(date +%F).db"]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        guard arguments.operands[0] == "check" || !arguments.has(fullOption) else {
            throw CommandError(
                .usage, "`--full` belongs to `curfew db check`", help: ["leave it out"])
        }
        guard arguments.operands[0] == "migrate" || !arguments.has(rehearsalOption) else {
            throw CommandError(
                .usage, "`--dry-run` belongs to `curfew db migrate`", help: ["leave it out"])
        }
        switch (arguments.operands[0], arguments.operands.dropFirst().first) {
        case ("migrate", nil):
            try migrate(place, arguments, console)
            return .ok
        case ("check", nil):
            return try check(place, arguments, console)
        case ("backup", let file?):
            try backup(place, to: file, arguments, console)
            return .ok
        case ("forget", let name?):
            try forget(name, place, arguments, console)
            return .ok
        case ("forget", nil):
            throw CommandError(
                .usage, "`curfew db forget` lacks the value to remove", help: [valuesHelp])
        case ("backup", nil):
            throw CommandError(
                .usage, "`curfew db backup` lacks the file to write",
                help: ["write `curfew db backup FILE`"])
        default:
            throw CommandError(
                .usage,
                "`curfew db` has no operation `\(arguments.operands.joined(separator: " "))`",
                help: [
                    "write `curfew db check`, `curfew db backup FILE`, `curfew db migrate` or `curfew db forget VALUE`",
                    "curfew help db",
                ])
        }
    }

    private static func check(
        _ place: StorePlace, _ arguments: Arguments, _ console: Console
    ) throws(CommandError) -> ExitCode {
        try place.checkIsThere()
        let isFull = arguments.has(fullOption)
        let faults = try StorePlace.translated { () throws(StoreFault) in
            try StoreClient.check(directory: place.name, isFull: isFull)
        }
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([
                    ("store", .text(place.directory)), ("ok", .bool(faults.isEmpty)),
                    ("faults", .list(faults.map { .text($0) })),
                ]).written)
            return faults.isEmpty ? .ok : .faults
        }
        guard !faults.isEmpty else {
            console.out.line(
                "\(Shown.line(place.directory)): " + console.out.paint("ok", .good)
                    + (isFull ? "" : " after a quick check; --full checks more"))
            return .ok
        }
        let shown = faults.prefix(10)
        for fault in shown {
            console.out.line(console.out.wrapped(Shown.line(fault), after: 0, indent: 2))
        }
        if faults.count > shown.count {
            console.out.line("and \(faults.count - shown.count) more like these")
        }
        throw CommandError(
            .faults, "the store \(place.directory) is damaged",
            notes: ["nothing was changed"],
            help: [
                place.isOnServer
                    ? "stop its hosts, and restore a backup of the server"
                    : "stop its host, copy the directory, and restore a backup",
                "curfew help db",
            ])
    }

    private static func migrate(
        _ place: StorePlace, _ arguments: Arguments, _ console: Console
    ) throws(CommandError) {
        guard place.isOnServer else {
            throw CommandError(
                .usage,
                "the store at \(place.directory) is a directory, which the host brings up to date that opens it first",
                notes: ["nothing was done"], help: ["curfew db check" + place.option])
        }
        let isRehearsal = arguments.has(rehearsalOption)
        let versions = try StorePlace.translated { () throws(StoreFault) in
            try StoreClient.migrate(place.name, isRehearsal: isRehearsal)
        }
        guard !arguments.has(.json) else {
            console.out.line(
                JSONItem.object([
                    ("store", .text(place.directory)), ("from", .integer(versions.from)),
                    ("to", .integer(versions.to)),
                ]).written)
            return
        }
        let name = Shown.line(place.directory)
        guard versions.from < versions.to else {
            let isNewer = versions.from > versions.to
            console.out.line(
                "\(name): the tables have version \(versions.from), and "
                    + (isNewer
                        ? "are newer than this Curfew; nothing was changed" : "are up to date"))
            return
        }
        console.out.line(
            "\(name): from version \(versions.from) of the tables to \(versions.to)"
                + (isRehearsal ? ", and back: it can be done" : ""))
    }

    private static var valuesHelp: String {
        "write `curfew db forget` and one of "
            + KeptValue.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private static func forget(
        _ name: String, _ place: StorePlace, _ arguments: Arguments, _ console: Console
    ) throws(CommandError) {
        guard let value = KeptValue(rawValue: name) else {
            throw CommandError(
                .usage, "a store has no value `\(name)`", notes: ["nothing was done"],
                help: [valuesHelp])
        }
        let store = try place.open()
        try StorePlace.translated { () throws(StoreFault) in try store.forget(value) }
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([
                    ("store", .text(place.directory)), ("forgotten", .text(value.rawValue)),
                ]).written)
        } else {
            console.out.line("forgotten: \(value.rawValue); \(value.loss)")
        }
    }

    /// Why a file that is not there cannot be made where it is to be, as far as can be told before
    /// the store is read; nil: nothing is in the way. `code` is errno after it was looked for.
    private static func unmade(_ file: String, _ code: Int32, _ place: StorePlace) -> CommandError?
    {
        let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { String(file[..<$0]) } ?? "."
        let directory = parent.isEmpty ? "/" : parent
        let again = "curfew db backup FILE" + place.option
        guard code == ENOENT else {
            return refused(file, String(cString: strerror(code)), [again])
        }
        if access(directory, F_OK) != 0 {
            return refused(
                file, "there is no directory `\(directory)`",
                ["make it first: mkdir -p \(ShellWord.path(directory))", again])
        }
        guard access(directory, W_OK | X_OK) != 0 else { return nil }
        return refused(
            file, "nothing can be written into `\(directory)`: \(String(cString: strerror(errno)))",
            ["name a file in another directory: " + again])
    }

    private static func refused(_ file: String, _ why: String, _ help: [String]) -> CommandError {
        CommandError(
            .usage, "the backup `\(file)` cannot be made: \(why)", notes: ["nothing was done"],
            help: help)
    }

    private static func backup(
        _ place: StorePlace, to file: String, _ arguments: Arguments, _ console: Console
    ) throws(CommandError) {
        try place.checkIsThere()
        var facts = stat()
        if lstat(file, &facts) == 0 {
            throw CommandError(
                .conflict, "`\(file)` exists", notes: ["nothing was done"],
                help: ["name a new file: curfew db backup FILE" + place.option])
        }
        if let fault = unmade(file, errno, place) { throw fault }
        try StorePlace.translated { () throws(StoreFault) in
            try StoreClient.backup(directory: place.name, to: file)
        }
        let bytes = lstat(file, &facts) == 0 ? UInt64(clamping: facts.st_size) : 0
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([
                    ("store", .text(place.directory)), ("backup", .text(file)),
                    ("bytes", .integer(Int64(clamping: bytes))),
                ]).written)
        } else {
            console.out.line("\(Shown.line(file)): \(Shown.number(bytes)) bytes, on the disk")
        }
    }
}
