// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// `curfew plugins`
enum PluginsCommand {
    static let loadOption = CommandOption(
        name: "load", summary: "also load each, in a child process")

    static let command = Command(
        name: "plugins", summary: "list the plugins",
        options: [loadOption, .plugins, .json],
        details: [
            """
            Searches the directories of --plugins; without that option those of
            CURFEW_PLUGIN_PATH, separated by colons; without both
            ~/.local/share/curfew/plugins, /usr/local/lib/curfew/plugins, the directory
            where this program's own plugins are installed, and /usr/lib/curfew/plugins. A
            plugin is a directory with a manifest.json; of two with the same id the first
            one is used.
            """,
            """
            No code of a plugin runs. With --load each one is also loaded and retired in a
            child process of its own; a note says which of them cannot be loaded, and why.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "they were listed, the faulty ones among them"),
            ExitMeaning(
                .faults,
                "a directory of --plugins cannot be read, a plugin cannot be loaded with --load, or "
                    + "the output not be written"),
            ExitMeaning.usage,
            ExitMeaning(.host, "with --load, a process could not be started"),
        ],
        examples: ["curfew plugins", "curfew plugins --plugins build/plugins --json"]
    ) { arguments, console throws(CommandError) in
        let search = try PluginSearch(arguments, failingWith: .faults)
        var trials: [String: Trial] = [:]
        if arguments.has(loadOption) {
            for plugin in search.plugins where plugin.isUsable {
                trials[plugin.directory] = try Trial(
                    directory: plugin.directory, limit: Trial.usualLimit)
            }
        }
        if arguments.has(.json) {
            console.out.line(document(search, trials).written)
        } else {
            print(search, trials, console)
        }
        return trials.values.allSatisfy(\.isSound) ? .ok : .faults
    }

    // MARK: Text

    private static func print(
        _ search: PluginSearch, _ trials: [String: Trial], _ console: Console
    ) {
        let out = console.out
        var rows: [[String]] = []
        var seen: [String: String] = [:]
        var remarks: [String] = []
        for plugin in search.plugins {
            switch plugin.manifest {
            case .success(let manifest):
                if let other = plugin.shadowedBy {
                    remarks.append(
                        "the plugin \(manifest.id) in \(plugin.directory) is shadowed by \(other)")
                    continue
                }
                if let trial = trials[plugin.directory], !trial.isSound {
                    remarks.append(
                        "\(plugin.directory) cannot be loaded: \(trial.refusal?.reason ?? trial.outcome)"
                            + "; curfew inspect --load \(ShellWord.path(plugin.directory))")
                }
                for handler in manifest.handlers {
                    if let other = seen[handler.identifier] {
                        remarks.append(
                            "\(handler.identifier) of \(plugin.directory) is shadowed by \(other)")
                        continue
                    }
                    seen[handler.identifier] = plugin.directory
                    rows.append([
                        handler.identifier, handler.kind.name, TimeText.limit(handler.budget),
                        TimeText.limit(handler.grace), manifest.version, plugin.directory,
                    ])
                }
            case .failure(let faults):
                let count = faults.diagnostics.count
                remarks.append(
                    "\(plugin.directory) cannot be used: \(faults.diagnostics[0].message)"
                        + (count > 1 ? ", and \(count - 1) more" : "")
                        + "; curfew lint \(ShellWord.path(plugin.directory))")
            }
        }
        if !rows.isEmpty { table(rows, out) }
        for remark in remarks {
            console.out.line(
                out.paint("note", .warning) + ": "
                    + out.wrapped(Shown.line(remark), after: 6, indent: 6))
        }
        let places = search.directories.joined(separator: ", ")
        if search.plugins.isEmpty {
            let text = Shown.line("no plugin was found in \(places)")
            console.errors.line(console.errors.wrapped(text, after: 0, indent: 2))
            console.errors.line("  = help: curfew plugins --plugins DIR")
            if search.options.isEmpty { console.errors.line("          curfew paths") }
        }
    }

    private static func table(_ rows: [[String]], _ out: Output) {
        let heads = ["IDENTIFIER", "KIND", "BUDGET", "GRACE", "VERSION", "FROM"]
        let cells = rows.map { $0.map(Shown.line) }
        let widths = heads.indices.map { column in
            ([heads] + cells).map { Shown.width($0[column]) }.max() ?? 0
        }
        let taken = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        if let columns = out.columns, taken + 8 > columns {
            list(cells, columns, out)
            return
        }
        for (number, row) in ([heads] + cells).enumerated() {
            let padded = heads.indices.dropLast().map { column in
                // Times are compared by their ends.
                [2, 3].contains(column)
                    ? Shown.rightAligned(row[column], widths[column])
                    : Shown.padded(row[column], widths[column])
            }
            let line = padded.joined(separator: "  ") + "  "
            // The end of a long path identifies it better.
            let room = out.columns.map { max(8, $0 - Shown.width(line)) } ?? .max
            let shown = line + Shown.fittedEnd(row[heads.count - 1], room)
            out.line(number == 0 ? out.paint(shown, .faint) : shown)
        }
    }

    /// Prints the handlers as blocks of lines if a table would be too wide.
    private static func list(_ cells: [[String]], _ columns: Int, _ out: Output) {
        for row in cells {
            out.line(out.paint(Shown.fitted(row[0], columns), .strong))
            let text = "\(row[1]), budget \(row[2]), grace \(row[3]), version \(row[4])"
            for line in Shown.wrapped(text, columns - 2) { out.line("  " + line) }
            out.line("  " + Shown.fittedEnd(row[5], max(8, columns - 2)))
        }
    }

    // MARK: JSON

    private static func document(
        _ search: PluginSearch, _ trials: [String: Trial]
    ) -> JSONItem {
        .object([
            ("directories", .list(search.directories.map { .text($0) })),
            ("plugins", .list(search.plugins.map { item($0, trials[$0.directory]) })),
        ])
    }

    private static func item(_ plugin: FoundPlugin, _ trial: Trial?) -> JSONItem {
        let loaded: [(String, JSONItem)] =
            trial.map { trial in
                let reason = trial.refusal?.reason ?? trial.outcome
                return [
                    ("loaded", .bool(trial.isSound)),
                    ("reason", trial.isSound ? .null : .text(reason)),
                ]
            } ?? []
        switch plugin.manifest {
        case .success(let manifest):
            return .object(
                [
                    ("id", .text(manifest.id)), ("version", .text(manifest.version)),
                    ("directory", .text(plugin.directory)), ("ok", .bool(true)),
                    ("shadowedBy", plugin.shadowedBy.map { .text($0) } ?? .null),
                    ("handlers", .list(manifest.handlers.map(item))), ("faults", .list([])),
                ] + loaded)
        case .failure(let faults):
            return .object([
                ("id", .null), ("version", .null), ("directory", .text(plugin.directory)),
                ("ok", .bool(false)), ("shadowedBy", .null), ("handlers", .list([])),
                ("faults", .list(faults.diagnostics.map(FaultItem.item))),
            ])
        }
    }

    /// As the manifest has it.
    private static func item(_ content: ManifestExampleFile.Content) -> JSONItem {
        switch content {
        case .text(let text): .text(text)
        case .zeros(let bytes): .object([("bytes", .integer(Int64(bytes)))])
        }
    }

    static func item(_ handler: ManifestHandler) -> JSONItem {
        .object([
            ("identifier", .text(handler.identifier)), ("kind", .text(handler.kind.name)),
            ("budget", .seconds(handler.budget)), ("grace", .seconds(handler.grace)),
            ("maxConcurrency", .integer(Int64(handler.maxConcurrency))),
            ("maxInStore", handler.maxInStore.map { .integer(Int64($0)) } ?? .null),
            ("onLeaseLost", .text(handler.onLeaseLost.name)),
            ("event", .text(handler.event)),
            (
                "events",
                .list(
                    handler.events.map { event in
                        .object([
                            ("name", .text(event.selector.name)),
                            ("parameters", .list(event.parameters.map { .text($0.name) })),
                        ])
                    })
            ),
            ("requires", .list(handler.requires.map(\.rawValue).sorted().map { .text($0) })),
            ("form", .text(handler.form.rawValue)),
            ("calls", handler.call.map { .text($0.text) } ?? .null),
            ("runs", handler.command.map { .text($0.text) } ?? .null),
            (
                "examples",
                .list(
                    handler.examples.map { example in
                        .object([
                            ("name", .text(example.name)), ("payload", .text(example.payload)),
                            ("expect", .text(example.expect.rawValue)),
                            ("files", .object(example.files.map { ($0.path, item($0.content)) })),
                        ])
                    })
            ),
        ])
    }
}
