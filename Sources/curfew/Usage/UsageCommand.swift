// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// `curfew usage`
enum UsageCommand {
    static let command = Command(
        name: "usage", summary: "show when an app is used, and when it was refreshed",
        options: [.store, .json],
        details: [
            """
            A picture of the hours of a week: how likely the app of the store is used at each,
            which the scheduler learns as an iPhone does, and how often its requests for a
            refresh were launched in the last four weeks. A request that waits for the factor
            `usage` is launched where the picture is dark.
            """
        ],
        exits: ExitMeaning.looking,
        sections: [HelpSection(title: "with --json", rows: UsageWeek.rows)],
        examples: ["curfew usage", "curfew usage --json | jq .since"]
    ) { arguments, console throws(CommandError) in
        let week = try UsageWeek(try StorePlace(arguments).open(), at: csys_realtime_ns())
        if arguments.has(.json) {
            console.out.line(week.item.written)
        } else {
            week.print(console.out)
        }
        return .ok
    }
}
