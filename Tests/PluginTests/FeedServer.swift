// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A real server on the loopback interface, with the answers that a test gives it.
final class FeedServer: @unchecked Sendable {
    // Constants after init; the process is only ended.
    private let process = Process()
    private let answers: TemporaryDirectory
    let address: String

    init() throws {
        answers = try TemporaryDirectory()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "\(BuiltProducts.packageRoot)/Tests/PluginTests/feed-server.py",
            answers.path,
        ]
        process.standardOutput = pipe
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            guard let byte = try pipe.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
                throw TestFault(text: "the server did not start")
            }
            line += byte
        }
        address = "http://127.0.0.1:" + String(decoding: line.dropLast(), as: UTF8.self)
    }

    deinit {
        // Not SIGTERM: the threads of a test run block it, and what they start inherits that.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Sets what is at /name, and returns its address.
    @discardableResult
    func answer(
        _ name: String, status: Int = 200, _ headers: [String: String] = [:],
        body: [UInt8] = [], options: [String: Any] = [:]
    ) throws -> String {
        var answer = options
        answer["status"] = status
        answer["headers"] = headers
        // Each byte is the character of its number.
        answer["body"] = String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
        try answers.write(
            Array(try JSONSerialization.data(withJSONObject: answer)), to: "\(name).json")
        return "\(address)/\(name)"
    }

    @discardableResult
    func answer(
        _ name: String, status: Int = 200, _ headers: [String: String] = [:], _ body: String,
        options: [String: Any] = [:]
    ) throws -> String {
        try answer(name, status: status, headers, body: Array(body.utf8), options: options)
    }

    @discardableResult
    func answer(_ name: String, status: Int = 200, _ text: String) throws -> String {
        try answer(name, status: status, [:], text)
    }

    /// What was asked for, with the headers' names in small letters.
    func requests() throws -> [(path: String, headers: [String: String])] {
        try answers.read("requests").split(separator: UInt8(ascii: "\n")).map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            return (
                value?["path"] as? String ?? "", value?["headers"] as? [String: String] ?? [:]
            )
        }
    }

    /// The headers of the last request.
    func lastRequest() throws -> [String: String] { try requests().last?.headers ?? [:] }
}
