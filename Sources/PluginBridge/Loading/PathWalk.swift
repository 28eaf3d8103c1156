// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// A walk along a path from the root of the file system, one descriptor after the other, which looks
/// at every directory and link on the way: who may rename one of them could put something else there.
struct PathWalk {
    enum End {
        case directory
        case file
    }

    struct Failure: Error {
        let path: String
        let reason: String
    }

    /// The end of the path: absolute, and without links.
    private(set) var path = "/"
    /// The directory at the end, or the one that the file at the end is in.
    private(set) var directory: OwnedDescriptor
    /// All that was passed, the end included.
    private(set) var seen: [(facts: FileFacts, isLink: Bool)] = []

    /// The maximum number of links to follow, as in the kernel.
    static var linkLimit: Int { 40 }
    /// The maximum number of bytes of a path and of a link.
    static var lengthLimit: Int { 4_096 }

    init(_ given: String, to end: End) throws(Failure) {
        guard let root = OwnedDescriptor(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
            let status = root.status
        else { throw Failure(path: "/", reason: Self.reason(errno)) }
        seen.append((FileFacts("/", status, root), false))
        directory = root
        var names: [String] = []
        var links = 0
        var pending = Array(PathText.components(try Self.absolute(given)).reversed())
        while let name = pending.popLast() {
            if name == ".." { _ = names.popLast() }
            path = "/" + (name == ".." ? names : names + [name]).joined(separator: "/")
            guard let next = OwnedDescriptor(csys_open_component(directory.number, name)),
                let status = next.status
            else { throw Failure(path: path, reason: Self.reason(errno)) }
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                seen.append((FileFacts(path, status, next), false))
                if name != ".." { names.append(name) }
                directory = next
            case S_IFLNK:
                links += 1
                guard links <= Self.linkLimit else {
                    throw Failure(path: path, reason: Self.reason(ELOOP))
                }
                seen.append((FileFacts(path, status, next), true))
                let target = try Self.target(of: next, at: path)
                if PathText.isAbsolute(target) {
                    directory = root
                    names = []
                }
                pending += PathText.components(target).reversed()
                guard pending.count <= Self.lengthLimit else {
                    throw Failure(path: path, reason: Self.reason(ENAMETOOLONG))
                }
                path = "/" + names.joined(separator: "/")
            case S_IFREG where end == .file && pending.isEmpty:
                seen.append((FileFacts(path, status, next), false))
                return
            case S_IFREG: throw Failure(path: path, reason: Self.reason(ENOTDIR))
            default:
                throw Failure(
                    path: path, reason: end == .file ? "not a file" : Self.reason(ENOTDIR))
            }
        }
        guard end == .directory else { throw Failure(path: path, reason: Self.reason(EISDIR)) }
    }

    /// Returns the components that cannot be trusted, with the reason, in the order of the path.
    ///
    /// - Parameter role: what the end is.
    func faults(_ trust: FileTrust, end role: FileFacts.Role) -> [(rule: LoadRule, text: String)] {
        var told: Set<[UInt8]> = []
        return seen.compactMap { facts, isLink in
            guard told.insert(Array(facts.path.utf8)).inserted else { return nil }
            let isEnd = facts.path.utf8.elementsEqual(path.utf8)
            return trust.fault(of: facts, as: isLink ? .link : isEnd ? role : .passage)
        }
    }

    private static func absolute(_ path: String) throws(Failure) -> String {
        if PathText.isAbsolute(path) { return path }
        var buffer = [CChar](repeating: 0, count: lengthLimit)
        guard getcwd(&buffer, buffer.count) != nil, buffer[0] == CChar(UInt8(ascii: "/")),
            let text = String(
                validating: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        else {
            throw Failure(
                path: path, reason: "the working directory has no path; give an absolute one")
        }
        return text + "/" + path
    }

    private static func target(of link: OwnedDescriptor, at path: String) throws(Failure) -> String
    {
        let bytes = [UInt8](unsafeUninitializedCapacity: lengthLimit) { buffer, count in
            let got = buffer.withMemoryRebound(to: CChar.self) {
                readlinkat(link.number, "", $0.baseAddress!, $0.count)
            }
            count = max(0, got)
        }
        guard !bytes.isEmpty, bytes.count < lengthLimit,
            let text = String(validating: bytes, as: UTF8.self)
        else { throw Failure(path: path, reason: "the link cannot be read") }
        return text
    }

    private static func reason(_ code: Int32) -> String { PluginDirectory.reason(code) }
}

extension FileFacts {
    init(_ path: String, _ status: stat, _ file: OwnedDescriptor) {
        self.init(
            path: path, owner: status.st_uid, group: status.st_gid, mode: status.st_mode & 0o7777,
            // A call that most files do not need.
            hasAccessList: status.st_mode & 0o020 != 0 && csys_has_access_list(file.number))
    }
}
