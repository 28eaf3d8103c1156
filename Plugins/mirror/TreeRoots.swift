// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The two open directories of a mirror task; neither is inside the other.
struct TreeRoots: ~Copyable {
    let from: Descriptor
    let to: Descriptor
    let fromPath: String
    let toPath: String
    let fromStatus: stat
    /// `to` was made by this run, so its permissions follow `from`.
    let isNew: Bool

    private static var flags: Int32 { O_RDONLY | O_DIRECTORY | O_CLOEXEC }

    init(_ request: MirrorRequest) throws {
        let from = try Descriptor(
            open(request.from, TreeRoots.flags), "open the directory", request.from)
        let fromStatus = try from.status(request.from)

        var opened = open(request.to, TreeRoots.flags)
        let isNew = opened < 0 && errno == ENOENT
        if isNew {
            // Nothing may be created inside `from`, not even to find out that `to` is inside.
            let (parentPath, name) = TreeRoots.split(request.to)
            let parent = try Descriptor(
                open(parentPath, TreeRoots.flags), "open the directory", parentPath)
            guard try !TreeRoots.isInside(parent, fromStatus, parentPath) else {
                throw TreeRoots.overlap(request)
            }
            guard mkdirat(parent.number, name, 0o700) == 0 || errno == EEXIST else {
                throw MirrorProblem("make the directory", request.to, errno)
            }
            opened = openat(parent.number, name, TreeRoots.flags | O_NOFOLLOW)
        }
        let to = try Descriptor(opened, "open the directory", request.to)
        let toStatus = try to.status(request.to)
        guard try !TreeRoots.isInside(to, fromStatus, request.to),
            try !TreeRoots.isInside(from, toStatus, request.from)
        else { throw TreeRoots.overlap(request) }

        self.from = from
        self.to = to
        fromPath = request.from
        toPath = request.to
        self.fromStatus = fromStatus
        self.isNew = isNew
    }

    private static func overlap(_ request: MirrorRequest) -> MirrorProblem {
        MirrorProblem(
            "'\(request.from)' and '\(request.to)' are the same directory, or one is inside the "
                + "other; nothing was copied; choose a target outside")
    }

    /// The parent and the last component: "/a/b/" is "/a" and "b".
    private static func split(_ path: String) -> (parent: String, name: String) {
        let trimmed = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
        let name = trimmed.prefix { $0 != UInt8(ascii: "/") }
        let parent = trimmed.dropFirst(name.count)
        return (
            String(decoding: parent.reversed(), as: UTF8.self),
            String(decoding: name.reversed(), as: UTF8.self)
        )
    }

    /// Climbs from a directory to the root of the file system, by identity and not by name.
    private static func isInside(
        _ inner: borrowing Descriptor, _ outer: stat, _ path: String
    ) throws -> Bool {
        var current = try Descriptor(openat(inner.number, ".", flags), "open", path)
        var status = try current.status(path)
        while !status.isSameFile(as: outer) {
            current = try Descriptor(
                openat(current.number, "..", flags), "open a parent directory of", path)
            let above = try current.status(path)
            if above.isSameFile(as: status) { return false }
            status = above
        }
        return true
    }
}
