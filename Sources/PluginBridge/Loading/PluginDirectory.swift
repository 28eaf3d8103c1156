// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// The directory of a plugin, opened so that only root and the host's own user can have changed its
/// content.
///
/// The path is walked from the root of the file system, one descriptor after the other. Every
/// directory and link on the way is checked, since its owner could exchange the next component.
/// Files are opened relative to the last descriptor, so that later changes of the path have no
/// effect.
package final class PluginDirectory: Sendable {
    /// The path as given, for messages.
    package let given: String
    /// Absolute, and without links.
    package let path: String
    private let descriptor: OwnedDescriptor
    let trust: FileTrust

    /// Opens the directory, or throws with every component that another user could change.
    package convenience init(_ given: String) throws(BridgeError) {
        try self.init(given, trust: .ofThisProcess)
    }

    init(_ given: String, trust: FileTrust) throws(BridgeError) {
        guard !given.isEmpty, !given.utf8.contains(0), given.utf8.count < PathWalk.lengthLimit
        else {
            throw BridgeError(
                .open,
                "the path of the plugin's directory is empty, too long, or has a zero byte in it")
        }
        self.given = given
        self.trust = trust
        if let found = Self.plain(given, trust) {
            (descriptor, path) = found
            return
        }
        let walk: PathWalk
        do throws(PathWalk.Failure) {
            walk = try PathWalk(given, to: .directory)
        } catch {
            throw BridgeError(
                .open,
                "\(given) cannot be opened: \(error.path): \(error.reason); give a plugin's directory"
            )
        }
        (descriptor, path) = (walk.directory, walk.path)
        let faults = walk.faults(trust, end: .folder)
        guard let first = faults.first else { return }
        throw BridgeError(
            first.rule, "\(given) is not loaded: \(faults.map(\.text).joined(separator: "; "))")
    }

    /// The directory of a path that is absolute and has no links and no points in it, where all
    /// above it are beyond doubt; nil where one has to look closer.
    ///
    /// Opens the whole path at once, and then checks it from its end upwards. Without links, the
    /// parents of the end are the directories of the path, unless one was renamed meanwhile, which
    /// takes write access to its parent.
    private static func plain(
        _ given: String, _ trust: FileTrust
    ) -> (descriptor: OwnedDescriptor, path: String)? {
        guard let depth = plainDepth(given), depth <= Int(CSYS_LEVELS),
            let found = OwnedDescriptor(csys_open_without_links(given))
        else { return nil }
        for level in 0...Int32(depth) {
            var directory = csys_ownership()
            guard csys_look_above(found.number, level, &directory),
                directory.mode & S_IFMT == S_IFDIR,
                trust.isPlain(
                    owner: directory.owner, mode: directory.mode & 0o7777,
                    as: level == 0 ? .folder : .passage)
            else { return nil }
        }
        return (found, given)
    }

    /// Returns the number of directories in an absolute path in its shortest form: with one slash
    /// before each name, and without `.` and `..`. Returns nil for any other path.
    private static func plainDepth(_ path: String) -> Int? {
        var depth = 0
        var last = UInt8(0)
        var points = 0
        var length = 0
        for byte in path.utf8 {
            if depth == 0, byte != UInt8(ascii: "/") { return nil }
            if byte == UInt8(ascii: "/") {
                if depth > 0, points == length, length <= 2 { return nil }
                depth += 1
                (points, length) = (0, 0)
            } else {
                length += 1
                if byte == UInt8(ascii: ".") { points += 1 }
            }
            last = byte
        }
        guard depth > 0, last != UInt8(ascii: "/"), points < length || length > 2 else {
            return nil
        }
        return depth
    }

    /// Reads and checks the manifest; the library is not looked at.
    package func manifest() throws(BridgeError) -> Result<Manifest, ManifestFaults> {
        let file = try self.file(Manifest.fileName)
        do throws(ABINoteFault) {
            let reader = ABINoteFile(
                descriptor: file.descriptor.number, size: UInt64(clamping: file.status.st_size))
            // One byte above the limit, so that the reader reports the fault.
            let count = Int(min(reader.size, UInt64(JSONReader.sizeLimit) + 1))
            let bytes = try reader.bytes(at: 0, count: count)
            return Manifest.parse(bytes: bytes, file: shown(Manifest.fileName))
        } catch {
            throw BridgeError(.open, "\(shown(Manifest.fileName)) \(error.message); \(error.help)")
        }
    }

    /// Opens a file of the directory that no other user can have changed.
    func file(_ name: String) throws(BridgeError) -> (descriptor: OwnedDescriptor, status: stat) {
        let shown = self.shown(name)
        guard !name.isEmpty, !name.utf8.contains(0), !name.utf8.contains(UInt8(ascii: "/")) else {
            throw BridgeError(.file, "\(shown) is no plain file name in the plugin's directory")
        }
        guard let file = OwnedDescriptor(csys_open_beneath(descriptor.number, name)) else {
            // EXDEV: the path leaves the directory.
            if errno == ELOOP || errno == EXDEV {
                throw BridgeError(
                    .file, "\(shown) is a symbolic link; put the file itself beside the manifest")
            }
            throw BridgeError(
                .open,
                "\(shown) cannot be opened: \(Self.reason(errno)); check that it is there and that this user may read it"
            )
        }
        guard let status = file.status else {
            throw BridgeError(.open, "\(shown) cannot be examined: \(Self.reason(errno))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw BridgeError(
                .file, "\(shown) is not a regular file; put the file itself beside the manifest")
        }
        if trust.isPlain(owner: status.st_uid, mode: status.st_mode & 0o7777, as: .file) {
            return (file, status)
        }
        let facts = FileFacts(path == "/" ? "/" + name : path + "/" + name, status, file)
        if let fault = trust.fault(of: facts, as: .file) {
            throw BridgeError(fault.rule, "\(given) is not loaded: \(fault.text)")
        }
        return (file, status)
    }

    /// Reads a file of the directory that no other user can have changed, and one byte more than
    /// `limit` at most.
    func contents(of name: String, limit: Int) throws(BridgeError) -> [UInt8] {
        let file = try self.file(name)
        do throws(RegularFile.Problem) {
            return try RegularFile.contents(of: file.descriptor.number, limit: limit)
        } catch {
            throw BridgeError(
                .open, "\(shown(name)) cannot be read: \(error.text); look at its disk")
        }
    }

    /// Whether there is something at a path below the directory; follows links.
    package func has(_ relative: String) -> Bool {
        faccessat(descriptor.number, relative, F_OK, 0) == 0
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns the name of a file of the directory in messages.
    package func shown(_ name: String) -> String {
        given.utf8.last == UInt8(ascii: "/") ? given + name : given + "/" + name
    }

    /// The names in a directory, without hidden ones; none where it cannot be read.
    package static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(validating: $0[..<($0.firstIndex(of: 0) ?? $0.count)], as: UTF8.self)
            }
            if let name, name.utf8.first != UInt8(ascii: ".") { names.append(name) }
        }
        return names
    }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
