// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Scheduling

/// `curfew quarantine`
enum QuarantineCommand {
    private static let reasonOption = CommandOption(
        name: "reason", value: "TEXT", summary: "why, for those who read the list")

    static let command = Command(
        name: "quarantine", summary: "list the plugins that are not run, or add one",
        operands: "[PLUGIN|HASH]", operandCount: 0...1, operandSort: .plugin,
        options: [reasonOption, .plugins, .store, .json],
        details: [
            """
            A host quarantines a plugin whose process ended three times in a row within ten
            minutes without a success between. Its requests wait. The quarantine is about
            one build: HASH, the SHA-256 of its manifest and library. Another build that is
            installed is run once the host loads it.
            """,
            """
            Without an operand the command lists what is quarantined. PLUGIN is a directory,
            or the id of a plugin or the identifier of a handler that is found: that build
            is quarantined by hand. A host that runs it in a process ends that process, and
            its tasks are interrupted without using an attempt; in a thread the tasks that
            run go on, and no other is begun.
            """,
            """
            `curfew release` with the id of the plugin, or HASH, ends a quarantine.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "it was listed, or is quarantined"), ExitMeaning.unwritten,
            ExitMeaning.usage, ExitMeaning.missing, ExitMeaning.denied,
            ExitMeaning.storeUnavailable,
            ExitMeaning(.conflict, "the list is full; nothing was done"),
            ExitMeaning(.host, "the plugin cannot be read"),
            ExitMeaning(.notFound, "no such plugin is found"),
        ],
        sections: [
            HelpSection(
                title: "with --json", text: "One object a line for each build.",
                rows: [
                    ("hash", "64 hexadecimal digits"),
                    ("plugin", "its id, or null if it is unknown"), ("reason", "a text"),
                    ("at", "the date"), ("by", "host or person"),
                ])
        ],
        examples: [
            "curfew quarantine",
            "curfew quarantine org.curfew.feed --reason 'deletes files'",
        ]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        guard let name = arguments.operands.first else {
            if arguments.has(reasonOption) {
                throw CommandError(
                    .usage, "`--reason` wants a plugin", notes: ["nothing was done"],
                    help: ["curfew quarantine PLUGIN --reason TEXT"])
            }
            let store = try place.open()
            let list = try StorePlace.translated { () throws(StoreFault) in
                try store.quarantine()
            }
            show(list.plugins, arguments, console)
            return .ok
        }
        let (id, content) = try build(name, arguments)
        let reason = arguments.value(reasonOption) ?? ""
        let entry = QuarantinedPlugin(
            content: content, plugin: id,
            reason: reason.isEmpty ? "quarantined by hand" : reason, at: csys_realtime_ns(),
            isByHand: true)
        let store = try place.open()
        let isAdded = try StorePlace.translated { () throws(StoreFault) in
            try store.changeQuarantine { $0.add(entry) }
        }
        guard isAdded else {
            throw CommandError(
                .conflict,
                "\(QuarantineList.limit) builds are quarantined by hand, and no more may be",
                notes: ["nothing was done"], help: ["curfew quarantine" + place.option])
        }
        show([entry], arguments, console)
        return .ok
    }

    /// The id and the digest of the build that an operand names.
    private static func build(
        _ name: String, _ arguments: Arguments
    ) throws(CommandError) -> (id: String, content: String) {
        if QuarantinedPlugin.isContent(name) { return ("", name) }
        let directory = try PluginOperand.directory(name, arguments)
        do throws(BridgeError) {
            let read = try PluginContent.read(directory: directory)
            return (read.id, read.digest)
        } catch {
            throw CommandError(
                .host, "the plugin in `\(directory)` cannot be read: \(error.message)",
                notes: ["nothing was quarantined"],
                help: ["curfew lint " + ShellWord.path(directory)])
        }
    }

    private static func show(
        _ plugins: [QuarantinedPlugin], _ arguments: Arguments, _ console: Console
    ) {
        if arguments.has(.json) {
            for plugin in plugins { console.out.line(item(plugin).written) }
            return
        }
        if plugins.isEmpty { console.out.line("nothing is quarantined") }
        let now = csys_realtime_ns()
        for plugin in plugins {
            let name = plugin.plugin.isEmpty ? "unknown plugin" : Shown.line(plugin.plugin)
            let by = plugin.isByHand ? "by hand" : "by a host"
            let since =
                "quarantined \(by) \(DateText.short(plugin.at, at: now)) (\(DateText.relative(plugin.at, at: now)))"
            console.out.line(
                "\(name)  " + console.out.wrapped(since, after: Shown.width(name) + 2, indent: 2))
            console.out.line(
                "  " + console.out.wrapped(Shown.line(plugin.reason), after: 2, indent: 2))
            console.out.line("  " + console.out.paint(plugin.content, .faint))
        }
    }

    static func item(_ plugin: QuarantinedPlugin) -> JSONItem {
        .object([
            ("hash", .text(plugin.content)),
            ("plugin", plugin.plugin.isEmpty ? .null : .text(plugin.plugin)),
            ("reason", .text(plugin.reason)), ("at", DateText.item(plugin.at)),
            ("by", .text(plugin.isByHand ? "person" : "host")),
        ])
    }
}
