// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// What `curfew run --json` told about one task.
struct TaskRecord: CustomStringConvertible {
    let process: ChildProcess
    private let records: [[String: Any]]

    init(_ process: ChildProcess) throws {
        self.process = process
        records = try process.output.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let record = value as? [String: Any] else {
                throw TestFault(text: "no JSON object: \(line)")
            }
            return record
        }
        guard records.last?["event"] as? String == "outcome" else {
            throw TestFault(text: "the task has no outcome: \(process)")
        }
    }

    var description: String { process.description }

    private var last: [String: Any] { records[records.count - 1] }

    /// `succeeded`, `failed`, `expired`, …
    var outcome: String { last["outcome"] as? String ?? "" }
    /// What the handler said of its failure, or when it was told to stop.
    var answer: String { last["answer"] as? String ?? "" }
    /// The parameters of its done event: success, and the text of an error.
    var done: [Any] {
        records.last { $0["event"] as? String == "done" }?["values"] as? [Any] ?? []
    }
    var result: String { last["result"] as? String ?? "" }
    var seconds: Double { last["duration"] as? Double ?? .infinity }

    /// The parameters of each event of that name.
    func raised(_ name: String) -> [[Any]] {
        records.filter { $0["event"] as? String == "raised" && $0["name"] as? String == name }
            .map { $0["values"] as? [Any] ?? [] }
    }

    /// The fractions of the progress, as they came.
    var progress: [Double] {
        records.filter { $0["event"] as? String == "progress" }
            .compactMap { $0["fraction"] as? Double }
    }

    /// The lines of the log, without those for debugging.
    var log: [String] {
        records.filter { $0["event"] as? String == "log" }.compactMap { $0["text"] as? String }
    }
}
