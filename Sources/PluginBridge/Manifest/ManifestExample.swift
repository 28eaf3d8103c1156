// SPDX-License-Identifier: Apache-2.0

/// A payload the handler understands, kept for documentation and trial runs.
public struct ManifestExample: Hashable, Sendable {
    public let name: String
    /// As it is written: `payload(in:)` fills in the directory.
    public let payload: String
    /// How a run with it goes.
    public let expect: ManifestExpectation
    /// The files to create in the empty directory before a trial run, in the manifest's order. No
    /// path is that of a directory that another file needs.
    public let files: [ManifestExampleFile]

    /// The mark that a payload has in place of the directory of a trial run.
    public static var directoryMark: String { "@DIRECTORY@" }

    public init(
        name: String, payload: String, expect: ManifestExpectation = .success,
        files: [ManifestExampleFile] = []
    ) {
        self.name = name
        self.payload = payload
        self.expect = expect
        self.files = files
    }

    /// It can only be tried in a directory that was made for it.
    public var needsDirectory: Bool {
        !files.isEmpty
            || Array(payload.utf8).contains(Array(ManifestExample.directoryMark.utf8))
    }

    /// The payload of a trial run in that directory.
    ///
    /// - Parameter directory: its absolute path. It is put in as it is: a payload may be JSON, so
    ///   choose one without quotes, backslashes and control characters.
    public func payload(in directory: String) -> String {
        // By bytes: a mark before a combining character is a mark as well.
        let bytes = Array(payload.utf8).replacing(
            Array(ManifestExample.directoryMark.utf8), with: Array(directory.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }
}
