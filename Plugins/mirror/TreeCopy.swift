// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import Glibc

/// One run over a tree: counts the files, then copies the changed ones.
///
/// Everything is reached through the descriptor of its directory and without following a link, so a
/// tree that changes meanwhile cannot lead the run out of the two roots.
struct TreeCopy: ~Copyable {
    /// Each level takes two descriptors, and a piece of the worker's stack.
    static var depthLimit: Int { 128 }
    /// The name of the file that is being written, one in each target directory.
    static var partName: String { ".curfew-mirror.part" }
    /// The bytes copied between two checks for a stop.
    static var chunk: Int { 1 << 20 }

    private let task: HandlerTask
    private let roots: TreeRoots
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: TreeCopy.chunk, alignment: 4096)

    private(set) var summary = MirrorSummary()
    private var total = 0
    private var seen = 0
    private var failures = 0
    private var firstFailure = ""

    init(_ task: HandlerTask, _ roots: consuming TreeRoots) {
        self.task = task
        self.roots = roots
    }

    deinit { buffer.deallocate() }

    mutating func run() throws {
        try count(".", in: roots.from.number, depth: 0)
        try copyTree(
            ".", in: roots.from.number, to: roots.to.number, as: ".", below: "",
            keeping: !roots.isNew, depth: 0)
        task.report(progress: 1, "\(seen) of \(seen) files")
        if failures > 0 {
            throw MirrorProblem(
                "\(failures) of the entries below \(roots.fromPath) were not copied, the others "
                    + "are up to date; the first: \(firstFailure)")
        }
    }

    // MARK: Counting

    /// Counts all entries but directories, for the progress. Unreadable ones are reported later.
    private mutating func count(
        _ name: UnsafePointer<CChar>, in parent: Int32, depth: Int
    ) throws {
        guard depth < TreeCopy.depthLimit,
            let reader = try? DirectoryReader(name, in: parent, path: "")
        else { return }
        let number = reader.number
        var more = true
        while more {
            try stopIfTold()
            do {
                more = try reader.next { name in
                    var status = stat()
                    guard fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
                    if status.type == S_IFDIR {
                        try count(name, in: number, depth: depth + 1)
                    } else {
                        total += 1
                    }
                }
            } catch let problem as MirrorProblem where !problem.isGeneral {
                return
            }
        }
    }

    // MARK: Directories

    /// Brings one directory up to date. `below` is its path below the roots: "", or "a/b/".
    private mutating func copyTree(
        _ name: UnsafePointer<CChar>, in source: Int32, to target: Int32,
        as targetName: UnsafePointer<CChar>, below: String, keeping keepsMode: Bool, depth: Int
    ) throws {
        guard depth < TreeCopy.depthLimit else {
            throw MirrorProblem(
                "\(roots.fromPath)/\(below) is nested deeper than \(TreeCopy.depthLimit) levels")
        }
        let reader = try DirectoryReader(name, in: source, path: "\(roots.fromPath)/\(below)")
        let path = "\(roots.toPath)/\(below)"
        var sourceStatus = stat()
        guard fstat(reader.number, &sourceStatus) == 0 else {
            throw MirrorProblem("look at", "\(roots.fromPath)/\(below)", errno)
        }
        let directory = try openTarget(targetName, in: target, keeping: keepsMode, path)
        let number = reader.number
        let before = summary.copied
        var more = true
        while more {
            try stopIfTold()
            more = try reader.next { name in
                do {
                    try copyEntry(name, in: number, to: directory.number, below, depth)
                } catch let problem as MirrorProblem where !problem.isGeneral {
                    if failures == 0 { firstFailure = problem.description }
                    failures += 1
                }
            }
        }
        // New names are on the disk before the task says that it is done.
        if summary.copied != before { fsync(directory.number) }
        try finish(directory, like: sourceStatus, keeping: keepsMode, path)
    }

    /// Opens a directory of the target for this run alone, and removes what a killed run left.
    private func openTarget(
        _ name: UnsafePointer<CChar>, in target: Int32, keeping keepsMode: Bool, _ path: String
    ) throws -> Descriptor {
        let opened = openat(target, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if opened < 0, errno == ENOTDIR || errno == ELOOP {
            throw MirrorProblem("\(path) is not a directory, but in the way of one; remove it")
        }
        let directory = try Descriptor(opened, "open the directory", path)
        // Two runs in one directory would write the same temporary file. A file system without
        // locks is accepted.
        if flock(directory.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw MirrorProblem(
                "another mirror task writes to \(path) at this moment; run again later",
                isGeneral: true)
        }
        let status = try directory.status(path)
        guard !status.isSameFile(as: roots.fromStatus) else {
            throw MirrorProblem("\(path) is the source itself", isGeneral: true)
        }
        if !keepsMode, status.permissions & 0o700 != 0o700 {
            // A copy without write permission still has to be updated.
            guard fchmod(directory.number, status.permissions | 0o700) == 0 else {
                throw MirrorProblem("write to", path, errno)
            }
        }
        guard unlinkat(directory.number, TreeCopy.partName, 0) == 0 || errno == ENOENT else {
            throw MirrorProblem("remove", "\(path)\(TreeCopy.partName)", errno)
        }
        return directory
    }

    /// Permissions and time come last: writing into a directory changes one and may need the other.
    private func finish(
        _ directory: borrowing Descriptor, like source: stat, keeping keepsMode: Bool,
        _ path: String
    ) throws {
        let status = try directory.status(path)
        if !keepsMode, status.permissions != source.permissions,
            fchmod(directory.number, source.permissions) != 0
        {
            throw MirrorProblem("set the permissions of", path, errno)
        }
        if !status.hasSameTime(as: source), futimens(directory.number, source.times) != 0 {
            throw MirrorProblem("set the time of", path, errno)
        }
    }

    // MARK: Entries

    private mutating func copyEntry(
        _ name: UnsafePointer<CChar>, in source: Int32, to target: Int32, _ below: String,
        _ depth: Int
    ) throws {
        var status = stat()
        guard fstatat(source, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return skip() }
            throw MirrorProblem("look at", sourcePath(below, name), errno)
        }
        switch status.type {
        case S_IFDIR:
            guard mkdirat(target, name, 0o700) == 0 || errno == EEXIST else {
                throw MirrorProblem("make the directory", targetPath(below, name), errno)
            }
            try copyTree(
                name, in: source, to: target, as: name, below: "\(below)\(String(cString: name))/",
                keeping: false, depth: depth + 1)
        case S_IFREG where strcmp(name, TreeCopy.partName) != 0:
            defer { reportFile() }
            try copyFile(name, status, in: source, to: target, below)
        case S_IFLNK where strcmp(name, TreeCopy.partName) != 0:
            defer { reportFile() }
            try copyLink(name, status, in: source, to: target, below)
        default:
            skip()
        }
    }

    private mutating func copyFile(
        _ name: UnsafePointer<CChar>, _ found: stat, in source: Int32, to target: Int32,
        _ below: String
    ) throws {
        if let old = try existing(name, in: target, below), old.type == S_IFREG,
            old.st_size == found.st_size, old.hasSameTime(as: found)
        {
            if old.permissions != found.permissions,
                fchmodat(target, name, found.permissions, AT_SYMLINK_NOFOLLOW) != 0
            {
                throw MirrorProblem("set the permissions of", targetPath(below, name), errno)
            }
            summary.unchanged += 1
            return
        }
        // It may be another kind of file by now: do not wait for a pipe's writer, follow no link.
        let opened = openat(source, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if opened < 0, errno == ENOENT || errno == ELOOP {
            summary.skipped += 1
            return
        }
        let input = try Descriptor(opened, "open", sourcePath(below, name))
        let status = try input.status(sourcePath(below, name))
        guard status.type == S_IFREG else {
            summary.skipped += 1
            return
        }
        let output = try Descriptor(
            openat(
                target, TreeCopy.partName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                0o600),
            "create", "\(roots.toPath)/\(below)\(TreeCopy.partName)")
        var isDone = false
        defer { if !isDone { unlinkat(target, TreeCopy.partName, 0) } }

        let bytes = try copyContent(from: input, to: output, name, below)
        // The time from before the copy: a write during it makes the next run copy the file again.
        guard fchmod(output.number, status.permissions) == 0,
            futimens(output.number, status.times) == 0, fsync(output.number) == 0,
            renameat(target, TreeCopy.partName, target, name) == 0
        else { throw MirrorProblem("finish", targetPath(below, name), errno) }
        isDone = true
        copied(name, below, bytes: bytes)
    }

    private func copyContent(
        from input: borrowing Descriptor, to output: borrowing Descriptor,
        _ name: UnsafePointer<CChar>, _ below: String
    ) throws -> Int64 {
        var bytes: Int64 = 0
        while true {
            let got = read(input.number, buffer.baseAddress, buffer.count)
            if got == 0 { return bytes }
            guard got > 0 else {
                if errno == EINTR { continue }
                throw MirrorProblem("read", sourcePath(below, name), errno)
            }
            var rest = UnsafeRawBufferPointer(rebasing: buffer[..<got])
            while !rest.isEmpty {
                let put = write(output.number, rest.baseAddress, rest.count)
                guard put >= 0 else {
                    if errno == EINTR { continue }
                    throw MirrorProblem("write", targetPath(below, name), errno)
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[put...])
            }
            bytes += Int64(got)
            try stopIfTold()
        }
    }

    private mutating func copyLink(
        _ name: UnsafePointer<CChar>, _ found: stat, in source: Int32, to target: Int32,
        _ below: String
    ) throws {
        guard let text = linkText(name, in: source) else {
            if errno == ENOENT || errno == EINVAL {
                summary.skipped += 1
                return
            }
            throw MirrorProblem("read the link", sourcePath(below, name), errno)
        }
        if let old = try existing(name, in: target, below), old.type == S_IFLNK,
            linkText(name, in: target) == text
        {
            summary.unchanged += 1
            return
        }
        guard symlinkat(text, target, TreeCopy.partName) == 0 else {
            throw MirrorProblem("create the link", targetPath(below, name), errno)
        }
        guard utimensat(target, TreeCopy.partName, found.times, AT_SYMLINK_NOFOLLOW) == 0,
            renameat(target, TreeCopy.partName, target, name) == 0
        else {
            let error = errno
            unlinkat(target, TreeCopy.partName, 0)
            throw MirrorProblem("finish the link", targetPath(below, name), error)
        }
        copied(name, below, bytes: 0)
    }

    /// Returns the target's entry of the name; nil if there is none. A directory there is an error.
    private func existing(
        _ name: UnsafePointer<CChar>, in target: Int32, _ below: String
    ) throws -> stat? {
        var status = stat()
        guard fstatat(target, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw MirrorProblem("look at", targetPath(below, name), errno)
        }
        guard status.type != S_IFDIR else {
            throw MirrorProblem(
                "\(targetPath(below, name)) is a directory in the way of a file; remove it")
        }
        return status
    }

    /// The text of a link, with a NUL at its end; nil, and `errno`, when it cannot be read.
    private func linkText(_ name: UnsafePointer<CChar>, in directory: Int32) -> [CChar]? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlinkat(directory, name, &text, text.count - 1)
        guard length >= 0 else { return nil }
        return Array(text[...length])
    }

    // MARK: Reports

    private func sourcePath(_ below: String, _ name: UnsafePointer<CChar>) -> String {
        "\(roots.fromPath)/\(below)\(String(cString: name))"
    }

    private func targetPath(_ below: String, _ name: UnsafePointer<CChar>) -> String {
        "\(roots.toPath)/\(below)\(String(cString: name))"
    }

    private mutating func skip() {
        summary.skipped += 1
        reportFile()
    }

    private mutating func copied(
        _ name: UnsafePointer<CChar>, _ below: String, bytes: Int64
    ) {
        summary.copied += 1
        summary.bytes += bytes
        // The event is a notice: a full queue of the host does not fail the task.
        try? task.raise("mirror_copied", .text(below + String(cString: name)), .int64(bytes))
    }

    /// Reports the progress after each file, or at most a thousand times.
    private mutating func reportFile() {
        seen += 1
        let most = max(total, seen)
        guard seen % max(most / 1000, 1) == 0 else { return }
        task.report(progress: Double(seen) / Double(most), "\(seen) of \(most) files")
    }

    private func stopIfTold() throws {
        guard Task.isCancelled || task.isExpired else { return }
        let reason = task.reason.map { " because \($0)" } ?? ""
        throw MirrorProblem(
            "stopped after \(seen) of \(max(total, seen)) files\(reason); what is copied is "
                + "complete, and the next run carries on with the rest",
            isGeneral: true)
    }
}
