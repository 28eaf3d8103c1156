// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// The state that earlier runs stored: the file `to` + `.state`.
struct FeedState: Codable {
    /// The source of the document.
    var from = ""
    /// The last version whose items were all written.
    var version = FeedVersion()
    /// The inode and the length of the output after the last run. Later lines come from a killed run.
    var outputFile: UInt64 = 0
    var outputBytes: Int64 = 0
    /// The ids of written items, those of the latest document first.
    var ids: [String] = []

    /// The most ids that are kept; those of the document are always kept.
    static var idLimit: Int { 50_000 }
    private static var fileLimit: Int { 128 << 20 }

    static func path(for output: String) -> String { "\(output).state" }

    /// Reads the state beside an output, or returns an empty one.
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

    /// Replaces the state on disk atomically.
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
