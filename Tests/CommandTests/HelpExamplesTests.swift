// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// Runs each example of the help in a shell, with the installed program.
@Suite("The examples of the help")
struct HelpExamplesTests {
    private static let program = BuiltProducts.prefix + "/bin/curfew"

    /// A script that creates the files that the examples name: files of the mirror, plugins in
    /// `build`, `Plugins` and the directory itself, and thirteen requests. It runs once, and its
    /// directory is copied for each example.
    private static let stage = """
        mkdir -p home work/build work/in
        cd work
        echo one >in/a.txt
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
        printf '{"schedules": [{"name": "%s", "command": ["/bin/true"], "every": "1h"},
          {"name": "%s", "command": ["/bin/true"], "every": "1h"}]}' nightly-backup tidy >curfew.json
        minisign -G -W -p author.pub -s ../author.sec >../author.txt
        case "$COMMAND" in
          remove) curfew install build/plugins/mirror ;;
          rollback)
            curfew install build/plugins/mirror
            sed -i 's/"version": "[0-9.]*"/"version": "9.0.0"/' build/plugins/mirror/manifest.json
            curfew install build/plugins/mirror
            ;;
          release)
            sqlite3 "$CURFEW_STORE/requests.db" "UPDATE request SET state = 3 WHERE id = 12"
            curfew quarantine org.curfew.feed
            ;;
          retry) curfew cancel 1-13 ;;
          schedules)
            timeout --preserve-status 2s curfew serve --config curfew.json
            curfew cancel 14
            ;;
          wait)
            sqlite3 "$CURFEW_STORE/requests.db" "UPDATE request SET state = 4, outcome = 1 WHERE id = 12"
            ;;
        esac
        """

    private static func examples() throws -> [(command: String, example: String)] {
        try CommandFaces.commands().flatMap { command in
            let help = try ChildProcess.run(program, ["help", command])
            return CommandFaces.lines("examples", help.output).map {
                (command, $0.trimmingCharacters(in: .whitespaces))
            }
        }
    }

    private static func run(
        _ script: String, in files: TemporaryDirectory, _ variables: [String: String]
    ) throws -> [String: String] {
        let environment = [
            "PATH": BuiltProducts.prefix + "/bin:"
                + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"),
            "HOME": files.path("home"), "LANG": "C.UTF-8",
            "CURFEW_STORE": files.path("store"), "SWIFT_BACKTRACE": "enable=no",
            "PLUGINS": BuiltProducts.prefix + "/lib/curfew/plugins", "PLUGIN": Twin("good").path,
        ].merging(variables) { $1 }
        let made = try ChildProcess.run(
            "bash", ["-euc", script], environment: environment, directory: files.path)
        try #require(made.succeeded, "\(made)")
        return environment
    }

    private static func makeStage(of command: String) throws -> TemporaryDirectory {
        let files = try TemporaryDirectory()
        _ = try run(stage, in: files, ["COMMAND": command])
        return files
    }

    private func type(_ example: String, on stage: TemporaryDirectory) throws -> ChildProcess {
        let files = try TemporaryDirectory()
        let environment = try Self.run(
            """
            cp -a "$STAGE"/. .
            printf '{"from": "%s/in", "to": "%s/out"}' "$PWD/work" "$PWD/work" >work/job.json
            """, in: files, ["STAGE": stage.path])
        // Some are about a host.
        let asksHost = ["health", "reload", "drain", "factors", "web", "top"].contains {
            example.hasPrefix("curfew \($0)")
        }
        let host = """
            curfew serve --config curfew.json >/dev/null &
            until curfew health >/dev/null 2>&1; do sleep 0.05; done
            trap 'kill %1; wait %1' EXIT

            """
        // It follows until its output is closed.
        let reader = example.hasSuffix(" --follow") ? " | head -n 1" : ""
        let shell = example.contains("fish") ? ["fish"] : ["bash", "-o", "pipefail"]
        return try ChildProcess.run(
            shell[0], shell.dropFirst() + ["-c", (asksHost ? host : "") + example + reader],
            environment: environment,
            directory: files.path("work"))
    }

    @Test("each can be typed as it stands there, and does what is asked")
    func all() throws {
        let examples = try Self.examples()
        #expect(examples.count > 40)
        let usual = try Self.makeStage(of: "")
        var stages: [String: TemporaryDirectory] = [:]
        for command in ["release", "remove", "retry", "rollback", "schedules", "wait"] {
            stages[command] = try Self.makeStage(of: command)
        }
        let made = stages
        let wrong = InPairs.faults(examples) { command, example in
            let run = try type(example, on: made[command] ?? usual)
            guard run.succeeded, !run.errorOutput.contains("error") else {
                throw TestFault(text: "\(run)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }
}
