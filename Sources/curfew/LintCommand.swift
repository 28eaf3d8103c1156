// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// `curfew lint`
enum LintCommand {
    static let command = Command(
        name: "lint", summary: "check manifests and libraries without loading them",
        operands: "PATH…", operandCount: 1...10_000, operandSort: .manifest,
        options: [.systemLibrary, .json],
        details: [
            """
            PATH is the directory of a plugin, or a manifest alone, which can be checked
            before its library is built; - is a manifest on standard input. The command
            also reads the library's file: its plugin ABI, what it exports, whether it asks
            for an executable stack, and whether it is called at each fork.
            """
        ],
        exits: [
            ExitMeaning(.ok, "no fault was found"),
            ExitMeaning(.faults, "a fault was found, or the output could not be written"),
            ExitMeaning.usage,
        ],
        examples: [
            "curfew lint Plugins/*/manifest.json", "curfew lint --json build/plugins/mirror",
        ]
    ) { arguments, console throws(CommandError) in
        let libraries = try arguments.systemLibraries
        let linted = arguments.operands.map {
            LintedPlugin(path: $0, systemLibraries: libraries)
        }
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([("plugins", .list(linted.map(item)))]).written)
        } else {
            print(linted, console.out)
        }
        return linted.allSatisfy(\.faults.isEmpty) ? .ok : .faults
    }

    private static func print(_ linted: [LintedPlugin], _ out: Output) {
        var screen = FaultScreen()
        for fault in linted.flatMap(\.faults) {
            out.line(screen.text(of: fault, out))
            out.line()
        }
        for plugin in linted {
            guard plugin.faults.isEmpty, let manifest = plugin.manifest else {
                let word = out.paint(count(plugin.faults.count, "fault"), .alarm)
                out.line("\(Shown.line(plugin.path)): \(word)")
                continue
            }
            let handlers = count(manifest.handlers.count, "handler")
            let library =
                plugin.libraryRemark ?? plugin.abi.map { "library built for ABI \($0)" } ?? ""
            let name = Shown.line(plugin.path) + ": "
            out.line(
                name + out.paint("ok", .good)
                    + out.wrapped(
                        ", \(handlers), \(library)", after: Shown.width(name) + 2, indent: 2))
            for warning in plugin.warnings {
                let text = out.wrapped(Shown.line(warning), after: 11, indent: 11)
                out.line("  " + out.paint("warning:", .warning) + " " + text)
            }
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func item(_ plugin: LintedPlugin) -> JSONItem {
        .object([
            ("path", .text(plugin.path)), ("ok", .bool(plugin.faults.isEmpty)),
            ("id", .text(orNull: plugin.manifest?.id)),
            ("version", .text(orNull: plugin.manifest?.version)),
            ("library", .text(orNull: plugin.manifest?.library)),
            ("libraryABI", plugin.abi.map { .integer(Int64($0)) } ?? .null),
            ("faults", .list(plugin.faults.map(FaultItem.item))),
            ("warnings", .list(plugin.warnings.map { .text($0) })),
        ])
    }
}
