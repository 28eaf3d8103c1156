// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A run of the built `curfew` with the test plugins in its path.
struct CommandRun {
    let process: ChildProcess

    static let program = BuiltProducts.path(ofProduct: "curfew")

    /// Those of other tests would be listed and suggested too.
    static let plugins = ["cli-errands", "cli-refuses", "patient"].map(
        BuiltProducts.testPluginDirectory)

    /// Nothing of the environment of the tests, but where programs are.
    static let environment = [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        "CURFEW_PLUGIN_PATH": plugins.joined(separator: ":"), "LANG": "C.UTF-8",
        "TERM": "xterm-256color", "SWIFT_BACKTRACE": "enable=no",
    ]

    init(
        _ arguments: String..., input: String = "", directory: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        process = try ChildProcess.run(
            CommandRun.program, arguments,
            environment: CommandRun.environment.merging(environment) { $1 }, input: input,
            directory: directory, limit: .seconds(60))
    }

    /// A run that was started in another way.
    init(process: ChildProcess) { self.process = process }

    /// An errand's identifier.
    static func errand(_ name: String) -> String { "org.curfew.test.errands.\(name)" }

    var code: Int32? {
        if case .exited(let code) = process.ending { code } else { nil }
    }

    /// Standard output with `T` for each time of the life and `D` for the duration.
    var life: String { CommandRun.timeless(process.output) }
    var output: String { process.output }
    var errors: String { process.errorOutput }

    static func timeless(_ text: String) -> String {
        text.replacing(/(?m)^ *[0-9]+\.[0-9]{3} s/, with: "T")
            .replacing(/(?m)^([A-Z]+)  in [0-9a-z. ]+$/) { "\($0.output.1)  in D" }
    }

    /// Standard output, where every line is a JSON object.
    func records() throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let object = value as? [String: Any] else {
                throw CocoaError(.propertyListReadCorrupt)
            }
            return object
        }
    }

    /// Standard output, where it is one JSON document.
    func document() throws -> [String: Any] {
        let documents = try records()
        guard documents.count == 1 else { throw CocoaError(.propertyListReadCorrupt) }
        return documents[0]
    }
}
