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
        try run(payload: payload(from, to), budget: budget)
    }

    /// The same, interrupted as soon as the output grows.
    func runUntilItWrites(from: String) throws -> TaskRecord {
        try run(
            payload: payload(from, nil), budget: "60s",
            under: ["python3", "-c", Self.interrupter, output])
    }

    private func payload(_ from: String, _ to: String?) throws -> String {
        String(
            decoding: try JSONSerialization.data(
                withJSONObject: ["from": from, "to": to ?? output]), as: UTF8.self)
    }

    /// Stands still while the signal is sent, so that the rest is not written by then.
    private static let interrupter = """
        import os, signal, subprocess, sys
        def size():
            return os.path.getsize(sys.argv[1]) if os.path.exists(sys.argv[1]) else 0
        before = size()
        child = subprocess.Popen(sys.argv[2:])
        while size() <= before and child.poll() is None:
            pass
        if child.poll() is None:
            child.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            child.send_signal(signal.SIGINT)
            child.send_signal(signal.SIGCONT)
        sys.exit(child.wait())
        """

    /// Runs a task with any payload.
    func run(payload: String, budget: String = "60s", under: [String] = []) throws -> TaskRecord {
        let plugin = "\(BuiltProducts.prefix)/lib/curfew/plugins/feed"
        let payload = try files.write(payload, to: "payload")
        return try TaskRecord(
            ChildProcess.run(
                "env",
                under + [
                    "\(BuiltProducts.prefix)/bin/curfew", "run", "org.curfew.feed", "--plugins",
                    plugin, "--json", "--verbose", "--budget", budget, "--payload", "@\(payload)",
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
                throw TestFault(text: "no item: \(String(decoding: $0, as: UTF8.self))")
            }
            return item
        }
    }

    /// One text of every item that is written.
    func texts(_ key: String) throws -> [String] { try items().map { $0[key] ?? "none" } }
}
