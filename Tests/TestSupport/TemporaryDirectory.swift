// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A directory of its own for one test, removed with everything in it when the last reference goes.
package final class TemporaryDirectory: Sendable {
    /// The absolute path of the directory.
    package let path: String

    /// Makes a new, empty directory in the system's place for temporary files.
    package init() throws {
        let place = FileManager.default.temporaryDirectory
        var template = Array(place.appendingPathComponent("curfew-XXXXXX").path.utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: place.path])
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The absolute path of something in the directory, whether it exists or not.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, making the directories on the way, and returns its path.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Writes a text file, making the directories on the way, and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    /// Reads a file.
    package func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// Runs a program from the search path in this directory; throws its output when it fails.
    package func run(_ program: String, _ arguments: [String]) throws {
        let process = try ChildProcess.run(program, arguments, directory: path)
        guard process.succeeded else { throw TestFault(text: "\(program): \(process)") }
    }
}
