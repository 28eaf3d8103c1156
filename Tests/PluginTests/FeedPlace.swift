// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A place for one feed: its server, its output, and runs of the installed plugin.
final class FeedPlace: Sendable {
    let server: FeedServer
    let files: TemporaryDirectory

    init() throws {
        server = try FeedServer()
        files = try TemporaryDirectory()
    }

    var output: String { files.path("news.jsonl") }
    var state: String { "\(output).state" }

    /// Runs a task with a payload of JSON.
    func run(from: String, to: String? = nil, budget: String = "60s") throws -> TaskRecord {
        let payload = try JSONSerialization.data(
            withJSONObject: ["from": from, "to": to ?? output])
        return try run(payload: String(decoding: payload, as: UTF8.self), budget: budget)
    }

    /// Runs a task with any payload.
    func run(payload: String, budget: String = "60s") throws -> TaskRecord {
        let plugin = "\(BuiltProducts.prefix)/lib/curfew/plugins/feed"
        let payload = try files.write(payload, to: "payload")
        return try TaskRecord(
            ChildProcess.run(
                "\(BuiltProducts.prefix)/bin/curfew",
                [
                    "run", "org.curfew.feed", "--plugins", plugin, "--json", "--verbose",
                    "--budget", budget, "--payload", "@\(payload)",
                ],
                environment: [
                    "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
                ]))
    }

    /// What is written, line by line.
    func items() throws -> [[String: String]] {
        guard FileManager.default.fileExists(atPath: output) else { return [] }
        return try files.read("news.jsonl").split(separator: UInt8(ascii: "\n")).map {
            let value = try JSONSerialization.jsonObject(with: Data($0))
            guard let item = value as? [String: String] else {
                throw Fault(text: "no item: \(String(decoding: $0, as: UTF8.self))")
            }
            return item
        }
    }

    /// One text of every item that is written.
    func texts(_ key: String) throws -> [String] { try items().map { $0[key] ?? "none" } }
}
