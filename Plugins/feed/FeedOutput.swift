// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The file that new items are appended to, locked for this run.
struct FeedOutput: ~Copyable {
    private let file: Descriptor
    private let inode: UInt64
    private var bytes: Int64
    /// The ids of lines that a killed run wrote and did not record in the state.
    private(set) var unnoted: [String] = []

    /// More than one run can write: a document and its ids.
    private static var tailLimit: Int { 256 << 20 }

    /// Opens or creates the file, and reads the lines that a killed run left at its end.
    init(_ path: String) throws {
        let file = try Descriptor(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW)
        // Two runs at a time would both write the same items. A file system without locks is
        // accepted.
        if flock(file.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw FeedProblem(
                "another feed task writes to \(path) at this moment; run again later")
        }
        let status = try file.status()
        self.file = file
        inode = UInt64(status.st_ino)
        bytes = Int64(status.st_size)
    }

    /// Reads the lines after the recorded end, and truncates an incomplete last one.
    mutating func recover(_ state: FeedState) throws {
        let start = state.outputFile == inode && state.outputBytes <= bytes ? state.outputBytes : 0
        let tail = try file.readAll(
            from: start, limit: FeedOutput.tailLimit, "too much of it was not noted by any run")
        let end = tail.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let unfinished = tail[end...]
        for line in tail[..<end].split(separator: UInt8(ascii: "\n")) {
            guard let id = FeedItem.id(ofLine: line) else { throw foreign() }
            unnoted.append(id)
        }
        guard !unfinished.isEmpty else { return }
        let beginning = Array(#"{"id":""#.utf8)
        guard unfinished.prefix(beginning.count) == beginning.prefix(unfinished.count)[...] else {
            throw foreign()
        }
        guard ftruncate(file.number, off_t(start) + end) == 0 else {
            throw FeedProblem("mend", file.path, errno)
        }
        bytes = start + Int64(end)
    }

    /// Refuses files of other programs, which must not change.
    private func foreign() -> FeedProblem {
        FeedProblem(
            "\(file.path) has lines that no feed task wrote; nothing was changed; name a new file, "
                + "or move this one away")
    }

    mutating func append(_ lines: [UInt8]) throws {
        try file.write(lines)
        bytes += Int64(lines.count)
    }

    /// Syncs the file to disk, and records its length.
    func settle(_ state: inout FeedState) throws {
        try file.settle()
        state.outputFile = inode
        state.outputBytes = bytes
    }
}
