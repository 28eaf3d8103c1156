// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// The state that earlier runs have stored: the file `to` + `.state`.
struct FeedState: Codable {
    /// Where the document came from.
    var from = ""
    /// The version that was taken as a whole.
    var version = FeedVersion()
    /// The output as the last run left it: what is behind that, a killed run wrote.
    var outputFile: UInt64 = 0
    var outputBytes: Int64 = 0
    /// Of what was written, those of the latest document first.
    var ids: [String] = []

    /// How many ids are kept, those of the document in any case.
    static var idLimit: Int { 50_000 }
    private static var fileLimit: Int { 128 << 20 }

    static func path(for output: String) -> String { "\(output).state" }

    /// The state beside an output; a new one where there is none.
    static func load(for output: String) throws -> FeedState {
        let path = path(for: output)
        guard access(path, F_OK) == 0 || errno != ENOENT else { return FeedState() }
        let file = try Descriptor(path, O_RDONLY | O_NOFOLLOW)
        _ = try file.status()
        let hint = "remove it to take every item for new"
        let bytes = try file.readAll(from: 0, limit: fileLimit, "it is too large; \(hint)")
        do {
            return try JSONDecoder().decode(FeedState.self, from: Data(bytes))
        } catch {
            throw FeedProblem("\(path) is not what an earlier run wrote there; \(hint)")
        }
    }

    /// Puts the state on the disk: at any moment the old one is there, or the new one.
    func save(for output: String) throws {
        let path = FeedState.path(for: output)
        let part = "\(path).part"
        do {
            let file = try Descriptor(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
            _ = try file.status()
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try file.write(Array(try encoder.encode(self)))
            try file.settle()
        }
        guard rename(part, path) == 0 else { throw FeedProblem("finish", path, errno) }
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))!
        let directory = try Descriptor(
            end == path.startIndex ? "/" : String(path[..<end]), O_RDONLY | O_DIRECTORY)
        try directory.settle()
    }
}
