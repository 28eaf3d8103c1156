// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport

/// A plugin with handlers of form `call`, `org.example.called0` and so on, in a host of its own.
struct CalledPlugin {
    let host: TestHost
    private let files: TemporaryDirectory
    let loaded: (answer: Answer, text: String)

    /// What became of a task.
    struct Ending: Equatable {
        let outcome: curfew_outcome
        let result: String
        let error: String

        static func succeeded(_ result: String = "") -> Ending {
            Ending(outcome: curfew_outcome(CURFEW_OUTCOME_SUCCEEDED), result: result, error: "")
        }
        static func failed(_ error: String) -> Ending {
            Ending(outcome: curfew_outcome(CURFEW_OUTCOME_FAILED), result: "", error: error)
        }
    }

    init(
        _ call: String, library: String? = "calls",
        configure: (inout curfew_host_config) -> Void = { _ in }
    ) throws {
        try self.init(calls: [call], library: library, configure: configure)
    }

    /// - Parameters:
    ///   - calls: what stands under `call`, in JSON, one for each handler.
    ///   - library: a test plugin with the library; nil: none.
    init(
        calls: [String], library: String? = "calls",
        configure: (inout curfew_host_config) -> Void = { _ in }
    ) throws {
        host = try TestHost(configure: configure)
        files = try TemporaryDirectory()
        let line = library.map { #""library": "lib\#($0).so", "# } ?? ""
        let handlers = calls.enumerated().map { index, call in
            """
            {"identifier": "org.example.called\(index)", "kind": "app-refresh", "form": "call",
             "call": \(call)}
            """
        }
        try files.write(
            """
            {"id": "org.example.called-plugin", "version": "1.0.0", "abi": 0, \(line)"handlers": [
            \(handlers.joined(separator: ",\n"))]}
            """, to: "manifest.json")
        if let library {
            try FileManager.default.copyItem(
                atPath: BuiltProducts.testPluginDirectory(library) + "/lib\(library).so",
                toPath: files.path("lib\(library).so"))
        }
        loaded = host.load(files.path)
    }

    /// Runs one task to its end.
    func run(_ payload: [UInt8] = [], handler: Int = 0) throws -> Ending {
        guard loaded.answer == .ok else { throw TestFault(text: "not loaded: \(loaded.text)") }
        let task = try host.launch("org.example.called\(handler)", keep: true, payload: payload)
        guard host.wait(task) == .ok else { throw TestFault(text: "it does not end") }
        defer { _ = host.release(task) }
        return Ending(
            outcome: try host.query(task).outcome,
            result: String(decoding: host.result(task) ?? [], as: UTF8.self),
            error: host.errorText(task) ?? "(not over)")
    }

    func run(_ payload: String) throws -> Ending { try run(Array(payload.utf8)) }
}
