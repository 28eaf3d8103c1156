// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Scheduling

/// `curfew settings`
enum SettingsCommand {
    private static let identifierOption = CommandOption(
        name: "identifier", value: "ID", sort: .handler,
        summary: "set it for the handler of this identifier")
    private static let pluginOption = CommandOption(
        name: "plugin-id", value: "ID",
        summary: "set it for all handlers of the plugin with this id")

    static let command = Command(
        name: "settings", summary: "print or change settings of launches",
        operands: "[WORD…]", operandCount: 0...2,
        operandSort: .words(
            RefreshSetting.allCases.map { "refresh-setting=" + $0.name }
                + HandlerEnablement.allCases.map { "enablement=" + $0.name }),
        options: [identifierOption, pluginOption, .store, .json],
        details: [
            """
            refresh-setting=denied turns background refresh off, as a user would,
            =restricted as an administrator would; =available turns it on.
            enablement=suspended stops all launches, =removed for good; =enabled allows
            them again.
            """,
            """
            Without --identifier and --plugin-id the setting is for all handlers. If there
            are settings for all handlers, the plugin and the handler, the strictest one
            applies. Requests stay pending meanwhile. Without WORD the command prints all
            settings.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "it is set, or was shown"), ExitMeaning.unwritten, ExitMeaning.usage,
            ExitMeaning.missing, ExitMeaning.denied, ExitMeaning.storeUnavailable,
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    (
                        "settings",
                        "each with scope (all, plugin, identifier), name (or null), refreshSetting "
                            + "and enablement"
                    )
                ])
        ],
        examples: [
            "curfew settings", "curfew settings enablement=suspended --identifier org.curfew.feed",
        ]
    ) { arguments, console throws(CommandError) in
        let place = try StorePlace(arguments)
        let changes = try changes(arguments.operands)
        let scope = try scope(arguments)
        let now = Moment(wall: csys_realtime_ns(), span: csys_boottime_ns())
        guard !changes.isEmpty else {
            guard scope == .all else {
                throw CommandError(
                    .usage, "`curfew settings` needs a setting",
                    help: ["write `refresh-setting=denied` or `enablement=suspended` too"])
            }
            let store = try place.open()
            print(
                try StorePlace.translated { () throws(StoreFault) in try store.settings(at: now) },
                arguments, console)
            return .ok
        }
        let store = try place.open()
        let settings = try StorePlace.translated { () throws(StoreFault) in
            try store.change(scope, at: now) { setting in
                for change in changes { change(&setting) }
            }
        }
        switch settings {
        case .success(let settings): print(settings, arguments, console)
        case .failure(let fault): throw unusable(fault, of: scope)
        }
        if !arguments.has(.json) { HostNote.print(store, place, console.errors) }
        return .ok
    }

    private typealias Change = (inout HandlerSetting) -> Void

    private static func changes(_ words: [String]) throws(CommandError) -> [Change] {
        var changes: [Change] = []
        for word in words {
            // As a step of `simulate` says it.
            let parsed = try? SimulationStep(word)
            switch parsed?.action {
            case .refresh(let refresh): changes.append { $0.refresh = refresh }
            case .enablement(let enablement): changes.append { $0.enablement = enablement }
            default:
                throw CommandError(
                    .usage, "`\(word)` is not a setting", notes: ["nothing was done"],
                    help: [
                        "write `refresh-setting=` and one of available, denied, restricted",
                        "or `enablement=` and one of enabled, suspended, removed",
                    ])
            }
        }
        return changes
    }

    private static func scope(_ arguments: Arguments) throws(CommandError) -> HandlerScope {
        let scope: HandlerScope
        switch (arguments.value(identifierOption), arguments.value(pluginOption)) {
        case (nil, nil): scope = .all
        case (let identifier?, nil): scope = .identifier(identifier)
        case (nil, let plugin?): scope = .plugin(plugin)
        case (_?, _?):
            throw CommandError(
                .usage, "`--identifier` and `--plugin-id` are two settings",
                notes: ["nothing was done"], help: ["leave one of them out"])
        }
        if let fault = scope.fault { throw unusable(fault, of: scope) }
        return scope
    }

    private static func unusable(
        _ fault: HandlerScope.Fault, of scope: HandlerScope
    ) -> CommandError {
        let list = if case .plugin = scope { "id" } else { "handlers[].identifier" }
        return CommandError(
            .usage, fault.message, notes: ["nothing was done"],
            help: ["curfew plugins --json | jq -r '.plugins[].\(list)'"])
    }

    // MARK: Output

    private static func rows(
        _ settings: HandlerSettings
    ) -> [(scope: String, name: String?, setting: HandlerSetting)] {
        settings.settings.map { scope, setting in
            switch scope {
            case .all: ("all", nil, setting)
            case .plugin(let id): ("plugin", id, setting)
            case .identifier(let identifier): ("identifier", identifier, setting)
            }
        }.sorted { ($0.scope, $0.name ?? "") < ($1.scope, $1.name ?? "") }
    }

    private static func print(
        _ settings: HandlerSettings, _ arguments: Arguments, _ console: Console
    ) {
        let rows = rows(settings)
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([
                    (
                        "settings",
                        .list(
                            rows.map { row in
                                .object([
                                    ("scope", .text(row.scope)), ("name", .text(orNull: row.name)),
                                    ("refreshSetting", .text(row.setting.refresh.name)),
                                    ("enablement", .text(row.setting.enablement.name)),
                                ])
                            })
                    )
                ]).written)
            return
        }
        guard !rows.isEmpty else {
            console.out.line("nothing is set: everything is enabled, and may refresh")
            return
        }
        for row in rows {
            let name = row.name.map { "\(row.scope) \(Shown.line($0))" } ?? "all handlers"
            let text =
                "enablement \(row.setting.enablement.name), refresh-setting \(row.setting.refresh.name)"
            console.out.line(
                "\(name)  " + console.out.wrapped(text, after: Shown.width(name) + 2, indent: 2))
        }
    }
}
