// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// Somebody who follows a guide to the letter, in a new directory, with nothing but what is
/// installed.
final class GuideReader {
    /// Where a guide has the repository, if it needs it.
    private static let sources = "/usr/local/src/curfew"

    let place: TemporaryDirectory
    private let installation: Installation
    private let notes: TemporaryDirectory
    private var environment: [String: String]
    /// What the last command left with.
    private var status: Int32 = 0

    /// - Parameter variables: what the guide assumes of the environment.
    init(_ installation: Installation, variables: [String: String] = [:]) throws {
        self.installation = installation
        place = try TemporaryDirectory()
        notes = try TemporaryDirectory()
        try notes.write("", to: "home/.keep")
        try notes.write("", to: "variables")
        try notes.write(place.path, to: "directory")
        environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": notes.path("home"), "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
            // The installation stays as it is, for other tests.
            "PYTHONDONTWRITEBYTECODE": "1",
        ]
        environment["RUSTUP_HOME"] = RustToolchain.home
        environment.merge(variables) { $1 }
    }

    /// Does all that a guide says.
    ///
    /// - Throws: ``TestFault`` at the first step that does not go as it is written.
    func follow(_ guide: Guide) throws {
        if guide.text.contains(Self.sources) {
            // What is built of Curfew itself takes a minute: only once.
            environment["SWIFTPM_BUILD_DIR"] = "\(BuiltProducts.packageRoot)/.build/guides"
        } else {
            environment["SWIFTPM_BUILD_DIR"] = BuiltProducts.placeForNewPlugins()
        }
        for (index, step) in guide.steps.enumerated() {
            let title = "\(guide.name).md:\(step.line)"
            switch step.action {
            case .write(let text, let path):
                let directory = String(decoding: try notes.read("directory"), as: UTF8.self)
                let here = directory.trimmingCharacters(in: .newlines)
                let file = URL(fileURLWithPath: "\(here)/\(path)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try local(text).write(to: file, atomically: true, encoding: .utf8)
            case .run(let commands):
                let said = try run(commands, last: "set -euo pipefail")
                guard said.succeeded else { throw TestFault(text: "\(title): \(said)") }
            case .show(let command, let output):
                let said = try run(command, first: "exec 2>&1")
                guard Self.agrees(said.output, with: local(output)) else {
                    throw TestFault(
                        text: "\(title): \(command)\nprints\n\(said.output)\nand not\n\(output)")
                }
                // A guide that shows a failure shows its exit code, too.
                guard said.succeeded || Self.asksForCode(guide.steps.dropFirst(index + 1).first)
                else { throw TestFault(text: "\(title): \(said)") }
            }
        }
    }

    /// Curfew, and its repository where a guide needs it, are somewhere else than where it says.
    private func local(_ text: String) -> String {
        text.replacingOccurrences(of: Self.sources, with: BuiltProducts.packageRoot)
            .replacingOccurrences(of: "/usr/local", with: installation.prefix)
    }

    /// Words that hide from what follows them how busy the machine is: an app's requests would wait
    /// until tests and builds beside it are over. None where that is not permitted.
    private static let withoutPressure: [String] = {
        let hide = "mount -t tmpfs none /proc/pressure"
        let canHide = try? ChildProcess.run("unshare", ["-m", "sh", "-c", hide]).succeeded
        return canHide == true ? ["unshare", "-m", "sh", "-c", hide + " && exec \"$@\"", "sh"] : []
    }()

    /// Runs commands where the ones before have left, with the variables they exported.
    private func run(
        _ commands: String, first: String = "", last: String = ""
    ) throws -> ChildProcess {
        let script = """
            \(first)
            cd "$(cat '\(notes.path("directory"))')"
            . '\(notes.path("variables"))'
            trap 'pwd >"\(notes.path("directory"))"; export -p >"\(notes.path("variables"))"' EXIT
            (exit \(status))
            \(last)
            \(local(commands))
            """
        let words = Self.withoutPressure + ["bash", "-c", script]
        let said = try ChildProcess.run(
            words[0], Array(words.dropFirst()), environment: environment, limit: .seconds(600))
        if case .exited(let code) = said.ending { status = code }
        return said
    }

    private static func asksForCode(_ step: Guide.Step?) -> Bool {
        if case .show(let command, _) = step?.action { return command == "echo $?" }
        return false
    }

    /// Whether a text is what a guide shows, where `…` stands for anything.
    static func agrees(_ text: String, with shown: String) -> Bool {
        var rest = Substring(text.trimmingCharacters(in: .newlines))
        let parts = shown.trimmingCharacters(in: .newlines).components(separatedBy: "…")
        for (index, part) in parts.enumerated() {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return part.isEmpty || rest.hasSuffix(part)
            } else if !part.isEmpty {
                guard let found = rest.range(of: part) else { return false }
                rest = rest[found.upperBound...]
            }
        }
        return rest.isEmpty
    }
}
