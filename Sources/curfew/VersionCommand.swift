// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// `curfew version`
enum VersionCommand {
    static let command = Command(
        name: "version", summary: "print the version, and the plugin ABI",
        options: [.json]
    ) { arguments, console throws(CommandError) in
        if arguments.has(.json) {
            console.out.line(
                JSONItem.object([
                    ("version", .text(CURFEW_VERSION_STRING)),
                    ("abi", .integer(Int64(CURFEW_ABI_VERSION))),
                ]).written)
        } else {
            console.out.line("curfew \(CURFEW_VERSION_STRING) (plugin ABI \(CURFEW_ABI_VERSION))")
        }
        return .ok
    }
}
