// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling
import Service

/// `curfew apps`
enum AppsCommand {
    private static let forget = CommandOption(
        name: "forget", value: "APP", isRepeated: true,
        summary: "start this app no more, until it submits a request again")

    static let command = Command(
        name: "apps", summary: "list the apps that are started when a request of theirs is due",
        options: [forget, .json],
        details: [
            """
            A program that uses Curfew's module BackgroundTasks has its requests in a store of
            its own, and launches them while it runs. With its first request it writes down
            how it is started. The host of the usual store (curfew serve) starts it when a
            request of it is due and it does not run; the program ends by itself when its tasks
            are over. See "Let it start your app" in background-tasks.md of the documentation.
            """,
            """
            Prints each app, whether it runs, when its next request is due, and its program, or
            why it is not started.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "it was printed, or is forgotten"), ExitMeaning.usage,
            ExitMeaning(.missing, "there is no app of that name"), ExitMeaning.denied,
        ],
        sections: [
            HelpSection(
                title: "with --json", text: "One object a line for each.",
                rows: [
                    ("app, program, arguments, store", "what it has written down"),
                    ("running", "whether it runs: its store has a host"),
                    (
                        "identifier, due",
                        "its next request; null if there is none, and while it runs"
                    ),
                    ("fault", "why it is not started, or null"),
                ])
        ],
        examples: ["curfew apps", "curfew apps --json"]
    ) { arguments, console throws(CommandError) in
        guard let directory = AppFile.directory(environment: { Environment.value($0) }) else {
            throw CommandError(
                .usage, "there is no usual place for the files of apps: HOME is not set")
        }
        let names = arguments.values(forget)
        guard names.isEmpty else {
            for name in names { try remove(name, directory) }
            return .ok
        }
        let apps = AppFile.all(in: directory)
        if apps.isEmpty, !arguments.has(.json) {
            console.out.line("no app has written down how it is started")
        }
        let now = csys_realtime_ns()
        let width = apps.map { Shown.width(Shown.line($0.name)) }.max() ?? 0
        for (name, result) in apps {
            if arguments.has(.json) {
                console.out.line(item(name, result).written)
            } else {
                let head = Shown.padded(Shown.line(name), width)
                let text = console.out.wrapped(
                    Shown.line(line(result, at: now)), after: width + 2, indent: width + 2)
                console.out.line("\(head)  \(text)")
            }
        }
        return .ok
    }

    private static func remove(_ name: String, _ directory: String) throws(CommandError) {
        let isName = !name.isEmpty && !name.utf8.contains(UInt8(ascii: "/"))
        guard isName, unlink("\(directory)/\(name).json") == 0 else {
            guard isName, errno != ENOENT else {
                throw CommandError(
                    .missing, "there is no app `\(Shown.line(name))`", help: ["curfew apps"])
            }
            throw CommandError(
                .denied,
                "\(directory)/\(name).json cannot be removed: \(String(cString: strerror(errno)))")
        }
    }

    private static func line(_ result: Result<AppFile, AppFile.Fault>, at now: Int64) -> String {
        switch result {
        case .failure(let fault): return "not started: \(fault.reason)"
        case .success(let file):
            let store = AppStore(file.store)
            if store.isOpen { return "runs; \(file.executable)" }
            if let fault = store.fault ?? file.fault { return "not started: \(fault)" }
            guard let first = store.first else { return "nothing is due; \(file.executable)" }
            return
                "due \(DateText.both(first.due.date, at: now)), for \(first.queue.identifier); \(file.executable)"
        }
    }

    private static func item(
        _ name: String, _ result: Result<AppFile, AppFile.Fault>
    ) -> JSONItem {
        let file = try? result.get()
        let store = file.map { AppStore($0.store) }
        var fault = store?.fault ?? (store?.isOpen == true ? nil : file?.fault)
        if case .failure(let failure) = result { fault = failure.reason }
        return .object([
            ("app", .text(name)), ("program", .text(orNull: file?.executable)),
            ("arguments", .list((file?.arguments ?? []).map { .text($0) })),
            ("store", .text(orNull: file?.store)), ("running", .bool(store?.isOpen == true)),
            ("identifier", .text(orNull: store?.first?.queue.identifier)),
            ("due", DateText.item(store?.first?.due.date)), ("fault", .text(orNull: fault)),
        ])
    }
}
