// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// One store, the harnesses that used it one after the other, and what they told.
final class StoreTrial {
    private let directory: TemporaryDirectory
    let store: String
    private(set) var records: [Record] = []
    private(set) var startUps: [Duration] = []
    private(set) var points: Set<String> = []

    init() throws {
        directory = try TemporaryDirectory()
        store = directory.path("store")
    }

    /// - Parameter url: of a store on a server.
    init(at url: String) throws {
        directory = try TemporaryDirectory()
        store = url
    }

    /// - Parameter url: of the same store, by another way.
    func start(
        _ mode: String, _ options: [String] = [], at url: String? = nil, wrapper: [String] = [],
        environment: [String: String] = [:]
    ) throws -> RunningHarness {
        try RunningHarness(
            [url ?? store, mode] + options, wrapper: wrapper, environment: environment)
    }

    /// Waits for a harness' end, and keeps what it told.
    @discardableResult
    func finish(_ harness: RunningHarness) -> ChildProcess.Ending {
        let ending = harness.finish()
        records += harness.records
        if let time = harness.startUp { startUps.append(time) }
        points.formUnion(harness.records.filter { $0.kind == "point" }.map { $0[0] })
        return ending
    }

    /// Starts one and waits for its end.
    @discardableResult
    func run(_ mode: String, _ options: [String] = []) throws -> ChildProcess.Ending {
        finish(try start(mode, options))
    }

    /// Keys that were asked for and never answered: they may be in the store, or not.
    var unanswered: [String] {
        var open: [String] = []
        var answered: Set<String> = []
        for record in records {
            switch record.kind {
            case "ask": open.append(record[0])
            case "ack", "refused": answered.insert(record[0])
            default: break
            }
        }
        return Array(Set(open).subtracting(answered))
    }

    /// Lets the rest end, and returns what is wrong.
    func faults() throws -> [String] {
        var faults: [String] = []
        let ending = try run("drain")
        if ending != .exited(0) {
            faults.append("the last harness: \(ending): \(records.suffix(5))")
        }
        return faults + HistoryCheck(records, try StoreContents(of: store)).faults
    }
}

extension Duration {
    /// For people.
    var milliseconds: String {
        let (seconds, attoseconds) = components
        return "\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) ms"
    }
}
