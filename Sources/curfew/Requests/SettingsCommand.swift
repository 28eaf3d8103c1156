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
        guard !changes.isEmpty else {
            guard scope == .all else {
                throw CommandError(
                    .usage, "`curfew settings` needs a setting",
                    help: ["write `refresh-setting=denied` or `enablement=suspended` too"])
            }
            print(try settings(place.open()), arguments, console)
            return .ok
        }
        let store = try place.open()
        let settings = try change(scope, store) { setting in
            for change in changes { change(&setting) }
        }
        print(settings, arguments, console)
        if !arguments.has(.json) { HostNote.print(store, place, console.errors) }
        return .ok
    }

    static func settings(_ store: StoreClient) throws(CommandError) -> HandlerSettings {
        try StorePlace.translated { () throws(StoreFault) in try store.settings(at: now) }
    }

    /// Changes the setting of a scope. Returns all settings then.
    static func change(
        _ scope: HandlerScope, _ store: StoreClient, _ body: (inout HandlerSetting) -> Void
    ) throws(CommandError) -> HandlerSettings {
        let settings = try StorePlace.translated { () throws(StoreFault) in
            try store.change(scope, at: now, body)
        }
        switch settings {
        case .success(let settings): return settings
        case .failure(let fault): throw unusable(fault, of: scope)
        }
    }

    private static var now: Moment { Moment(wall: csys_realtime_ns(), span: csys_boottime_ns()) }

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

    /// The words of a scope: `all`, or `plugin` or `identifier` with a name.
    private static func words(_ scope: HandlerScope) -> (word: String, name: String?) {
        switch scope {
        case .all: ("all", nil)
        case .plugin(let id): ("plugin", id)
        case .identifier(let identifier): ("identifier", identifier)
        }
    }

    /// A scope for people: `all handlers`, `plugin org.example.tidy`
    static func text(_ scope: HandlerScope) -> String {
        let (word, name) = words(scope)
        return name.map { "\(word) \(Shown.line($0))" } ?? "all handlers"
    }

    // MARK: Output

    private static func rows(
        _ settings: HandlerSettings
    ) -> [(scope: HandlerScope, setting: HandlerSetting)] {
        settings.settings.map { (scope: $0, setting: $1) }.sorted {
            let (a, b) = (words($0.scope), words($1.scope))
            return (a.word, a.name ?? "") < (b.word, b.name ?? "")
        }
    }

    /// All settings, as `--json` prints them.
    static func item(_ settings: HandlerSettings) -> JSONItem {
        let items = rows(settings).map { row in
            let (word, name) = words(row.scope)
            return JSONItem.object([
                ("scope", .text(word)), ("name", .text(orNull: name)),
                ("refreshSetting", .text(row.setting.refresh.name)),
                ("enablement", .text(row.setting.enablement.name)),
            ])
        }
        return .object([("settings", .list(items))])
    }

    private static func print(
        _ settings: HandlerSettings, _ arguments: Arguments, _ console: Console
    ) {
        if arguments.has(.json) {
            console.out.line(item(settings).written)
            return
        }
        let rows = rows(settings)
        guard !rows.isEmpty else {
            console.out.line("nothing is set: everything is enabled, and may refresh")
            return
        }
        for row in rows {
            let name = text(row.scope)
            let text =
                "enablement \(row.setting.enablement.name), refresh-setting \(row.setting.refresh.name)"
            console.out.line(
                "\(name)  " + console.out.wrapped(text, after: Shown.width(name) + 2, indent: 2))
        }
    }
}
