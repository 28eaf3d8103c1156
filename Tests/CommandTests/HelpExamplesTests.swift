// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A reader of the help who types its examples as they stand there, into a shell, with the installed
/// program.
@Suite("The examples of the help")
struct HelpExamplesTests {
    private static let program = BuiltProducts.prefix + "/bin/curfew"

    /// What examples are about: a job of the mirror, plugins in `build`, `Plugins` and the directory
    /// itself, and thirteen requests.
    private static let stage = """
        mkdir -p home work/build work/in
        cd work
        echo one >in/a.txt
        printf '{"from": "%s/in", "to": "%s/out"}' "$PWD" "$PWD" >job.json
        cp -r "$PLUGINS" Plugins
        cp -r "$PLUGINS" build/plugins
        cp -r "$PLUGIN" build/plugin
        cp "$PLUGIN"/* .
        for number in {1..13}; do
          name=org.example.n$number
          if [ $number = 1 ]; then name=org.curfew.feed; fi
          curfew submit $name --kind health-research --after 1d --pending-limit 13 \\
            --payload "{\\"number\\": $number}"
        done
        if [ "$COMMAND" = release ]; then
          sqlite3 "$CURFEW_STORE/requests.db" "UPDATE request SET state = 3 WHERE id = 12"
        fi
        """

    private static func examples() throws -> [(command: String, example: String)] {
        try CommandFaces.commands().flatMap { command in
            let help = try ChildProcess.run(program, ["help", command])
            return CommandFaces.lines("examples", help.output).map {
                (command, $0.trimmingCharacters(in: .whitespaces))
            }
        }
    }

    private func type(_ example: String, of command: String) throws -> ChildProcess {
        let files = try TemporaryDirectory()
        let environment = [
            "PATH": BuiltProducts.prefix + "/bin:"
                + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"),
            "HOME": files.path("home"), "LANG": "C.UTF-8", "COMMAND": command,
            "CURFEW_STORE": files.path("store"), "SWIFT_BACKTRACE": "enable=no",
            "PLUGINS": BuiltProducts.prefix + "/lib/curfew/plugins", "PLUGIN": Twin("good").path,
        ]
        let made = try ChildProcess.run(
            "bash", ["-euc", Self.stage], environment: environment, directory: files.path)
        try #require(made.succeeded, "\(made)")
        // It follows until nobody reads any more.
        let reader = example.hasSuffix(" --follow") ? " | head -n 1" : ""
        let shell = example.contains("fish") ? ["fish"] : ["bash", "-o", "pipefail"]
        return try ChildProcess.run(
            shell[0], shell.dropFirst() + ["-c", example + reader], environment: environment,
            directory: files.path("work"))
    }

    @Test("each can be typed as it stands there, and does what is asked")
    func all() throws {
        let examples = try Self.examples()
        #expect(examples.count > 40)
        let wrong = InPairs.faults(examples) { command, example in
            let run = try type(example, of: command)
            guard run.succeeded, !run.errorOutput.contains("error") else {
                throw TestFault(text: "\(run)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }
}
