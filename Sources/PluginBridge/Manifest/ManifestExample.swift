// SPDX-License-Identifier: Apache-2.0

/// A payload the handler understands, kept for documentation and trial runs.
package struct ManifestExample: Hashable, Sendable {
    package let name: String
    /// The payload as written: `payload(in:)` fills in the directory.
    package let payload: String
    /// The expected end of a task with it.
    package let expect: ManifestExpectation
    /// The files to create in the empty directory before a trial run, in the manifest's order. No
    /// path is that of a directory that another file needs.
    package let files: [ManifestExampleFile]

    /// The mark that a payload has in place of the directory of a trial run.
    package static var directoryMark: String { "@DIRECTORY@" }

    package init(
        name: String, payload: String, expect: ManifestExpectation = .success,
        files: [ManifestExampleFile] = []
    ) {
        self.name = name
        self.payload = payload
        self.expect = expect
        self.files = files
    }

    /// It can only be tried in a directory that was made for it.
    package var needsDirectory: Bool {
        !files.isEmpty
            || Array(payload.utf8).contains(Array(ManifestExample.directoryMark.utf8))
    }

    /// The payload of a trial run in that directory.
    ///
    /// - Parameter directory: the absolute path. It is inserted unchanged: a payload may be JSON,
    ///   so choose a path without quotes, backslashes and control characters.
    package func payload(in directory: String) -> String {
        // Compare bytes: a mark before a combining character is a mark as well.
        let bytes = Array(payload.utf8).replacing(
            Array(ManifestExample.directoryMark.utf8), with: Array(directory.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The expected end of a task with an example's payload.
package enum ManifestExpectation: String, Sendable, CaseIterable {
    /// The task succeeds.
    case success
    /// The task fails by itself.
    case failure
    /// The task runs until it is stopped.
    case slow
}
