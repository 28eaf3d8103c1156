// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import Glibc

/// Finds the large files below a directory.
///
/// Payload: the directory's absolute path. For each file of a MiB or more the event
/// `survey_large(path, bytes)` is raised; the result is JSON: `{"files":12,"bytes":34567}`.
struct SurveyHandler: TaskHandler {
    private static let large: Int64 = 1 << 20
    private static let depthLimit = 64

    func run(_ task: HandlerTask) async throws -> [UInt8] {
        let root = String(decoding: task.payload, as: UTF8.self)
        guard root.hasPrefix("/"), !root.utf8.contains(0) else {
            throw SurveyProblem("the payload must be the absolute path of a directory")
        }
        let top = try names(in: root)
        var sum = SurveySum()
        for (done, name) in top.enumerated() {
            task.report(progress: Double(done) / Double(top.count), name)
            try await add("\(root)/\(name)", to: &sum, task, depth: 0)
        }
        task.report(progress: 1)
        return Array(#"{"files":\#(sum.files),"bytes":\#(sum.bytes)}"#.utf8)
    }

    private func add(
        _ path: String, to sum: inout SurveySum, _ task: HandlerTask, depth: Int
    ) async throws {
        // When the time is up the Swift task is cancelled, and then the grace runs. It is enough
        // to ask often; an error of one's own can say how far the work is.
        guard !Task.isCancelled else {
            let reason = task.reason.map { " because \($0)" } ?? ""
            throw SurveyProblem("stopped after \(sum.files) files\(reason)")
        }
        var facts = stat()
        // What has vanished meanwhile is no failure; links are not followed.
        guard lstat(path, &facts) == 0 else { return }
        switch facts.st_mode & S_IFMT {
        case S_IFREG:
            sum.files += 1
            sum.bytes += Int64(facts.st_size)
            guard facts.st_size >= SurveyHandler.large else { return }
            // A full queue of the host is no reason to give up the work.
            try? task.raise("survey_large", .text(path), .int64(Int64(facts.st_size)))
        case S_IFDIR where depth < SurveyHandler.depthLimit:
            guard let names = try? names(in: path) else {
                return task.log(.warning, "\(path) could not be read and is not counted")
            }
            for name in names {
                try await add("\(path)/\(name)", to: &sum, task, depth: depth + 1)
            }
        default: break
        }
    }

    private func names(in path: String) throws -> [String] {
        guard let directory = opendir(path) else {
            throw SurveyProblem("could not read \(path): \(String(cString: strerror(errno)))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
            let name = String(
                cString: UnsafeRawPointer(entry).advanced(by: offset)
                    .assumingMemoryBound(to: CChar.self))
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
