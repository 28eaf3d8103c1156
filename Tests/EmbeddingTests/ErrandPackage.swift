// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The package of the guide for code that was written for iOS, in a directory outside of this
/// repository, and its user's home.
final class ErrandPackage {
    static let identifier = "org.example.errand.refresh"

    private let place: TemporaryDirectory
    /// Of the Makefile's variables none is set.
    private let environment: [String: String]
    private var directory = ""

    /// Writes what the guide says to write.
    init() throws {
        place = try TemporaryDirectory()
        var environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("CURFEW_") && !$0.key.hasPrefix("XDG_")
        }
        environment["HOME"] = place.path("home")
        self.environment = environment
        for step in try Guide("background-tasks").steps {
            guard case .write(let text, let path) = step.action, path.hasPrefix("errand/") else {
                continue
            }
            try place.write(
                text.replacing("/usr/local/src/curfew", with: BuiltProducts.packageRoot), to: path)
        }
    }

    /// Builds it, and puts its property list beside the executable. Returns what was said.
    ///
    /// What it builds of Curfew stays, and is shared with the guides: it takes a minute only once.
    func build(_ configuration: String) throws -> String {
        let package = [
            "--package-path", place.path("errand"), "--scratch-path",
            BuiltProducts.packageRoot + "/.build/guides", "-c", configuration,
        ]
        let said = try Installation.output(
            "swift", ["build"] + package, environment: environment, limit: .seconds(900))
        directory = try Installation.output(
            "swift", ["build", "--show-bin-path"] + package, environment: environment
        ).trimmingCharacters(in: .whitespacesAndNewlines)
        let list = URL(fileURLWithPath: directory + "/Info.plist")
        try Data(place.read("errand/Info.plist")).write(to: list)
        return said
    }

    /// Runs it to its end. Returns what it logged, line by line, without dates and processes.
    func run(_ arguments: String...) throws -> [String] {
        let ran = try ChildProcess.run(directory + "/errand", arguments, environment: environment)
        guard ran.succeeded else { throw TestFault(text: "errand \(arguments): \(ran)") }
        return ran.errorOutput.split(separator: "\n").map {
            $0.split(separator: " ", maxSplits: 3).last.map(String.init) ?? ""
        }
    }

    /// What `curfew why --json` says of its request that waits.
    func why(_ installation: Installation) throws -> [String: Any] {
        let store = place.path("home/.local/state/org.example.errand/requests")
        let said = try Installation.output(
            installation.path("bin/curfew"),
            ["why", Self.identifier, "--store", store, "--json"], environment: environment)
        let read = try JSONSerialization.jsonObject(with: Data(said.utf8))
        guard let answer = read as? [String: Any] else { throw TestFault(text: said) }
        return answer
    }
}
