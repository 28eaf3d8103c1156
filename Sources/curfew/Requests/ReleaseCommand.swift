// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// `curfew release`
enum ReleaseCommand {
    static let command = Command(
        name: "release", summary: "make parked requests pending again, or run a plugin again",
        operands: "REQUEST…|PLUGIN|HASH", operandCount: 1...10_000, operandSort: .request,
        options: [.store, .json],
        details: [
            """
            A host parks a request whose task ran when the process crashed, several times in
            a row: the task may have caused the crashes. Release the request once its
            handler is mended, or cancel it.
            """,
            """
            3-7 names all requests with these numbers. All named requests are released, or
            none.
            """,
            """
            The id of a plugin, or the HASH of one build, ends its quarantine: see
            `curfew help quarantine`. A host that uses the store starts its process at once.
            """,
        ],
        exits: [ExitMeaning(.ok, "they are pending again, or the plugin may be run")]
            + RequestChange.exits + [
                ExitMeaning(.conflict, "one of them is not parked; nothing was done")
            ],
        sections: [
            RequestChange.section,
            HelpSection(
                title: "with --json, of a plugin",
                text: "One object a line for each build, as `curfew quarantine --json` has it.",
                rows: []),
        ],
        examples: ["curfew release 12", "curfew release org.curfew.feed"]
    ) { arguments, console throws(CommandError) in
        if let name = try plugin(arguments.operands, StorePlace(arguments).option) {
            try release(name, arguments, console)
            return .ok
        }
        try RequestChange(
            done: "released", rule: "only a parked request can be released",
            text: { _ in "pending again, and may be launched at once" },
            change: { (request, ledger, now, store) throws(StoreFault) in
                guard try ledger.release(request.id, at: now, store).value,
                    let released = try store.request(request.id)
                else { return .wrongState(request) }
                return .changed(released)
            }
        ).run(arguments, console)
        return .ok
    }

    /// The id or the hash of a plugin, if that is what is named.
    private static func plugin(
        _ operands: [String], _ option: String
    ) throws(CommandError) -> String? {
        func isPlugin(_ text: String) -> Bool {
            HandlerDescription.isIdentifier(text) || QuarantinedPlugin.isContent(text)
        }
        guard let name = operands.first(where: isPlugin) else {
            guard let word = operands.first(where: { $0.first?.isNumber != true }) else {
                return nil
            }
            throw CommandError(
                .usage,
                "`\(word)` is neither the number of a request nor the id or the hash of a plugin",
                notes: ["nothing was done"],
                help: ["curfew ps --all" + option, "curfew quarantine" + option])
        }
        guard operands.count == 1 else {
            throw CommandError(
                .usage, "`\(name)` is a plugin, and is released by itself",
                notes: ["nothing was done"], help: ["curfew release " + name])
        }
        return name
    }

    private static func release(
        _ name: String, _ arguments: Arguments, _ console: Console
    ) throws(CommandError) {
        let place = try StorePlace(arguments)
        let store = try place.open()
        let released = try StorePlace.translated { () throws(StoreFault) in
            try store.changeQuarantine { $0.release(name) }
        }
        guard !released.isEmpty else {
            throw CommandError(
                .missing,
                "`\(name)` is neither a plugin nor a hash that is quarantined",
                notes: ["nothing was done"],
                help: ["curfew quarantine" + place.option])
        }
        for plugin in released {
            if arguments.has(.json) {
                console.out.line(QuarantineCommand.item(plugin).written)
                continue
            }
            let name = plugin.plugin.isEmpty ? plugin.content : plugin.plugin
            let head = "\(Shown.line(name))  "
            console.out.line(
                head
                    + console.out.wrapped(
                        "released: hosts run it again; it was quarantined because \(Shown.line(plugin.reason))",
                        after: Shown.width(head), indent: 2))
        }
        if !arguments.has(.json) { HostNote.print(store, place, console.errors) }
    }
}
