// SPDX-License-Identifier: Apache-2.0
internal import CSystem
internal import Glibc

/// An open directory: what is in it is reached by its descriptor, and no link is followed.
final class Folder {
    enum Kind {
        case file(isExecutable: Bool)
        case folder
        /// With a word for messages.
        case other(String)
    }

    let number: Int32
    /// For messages.
    let path: String

    private static var flags: Int32 { O_RDONLY | O_DIRECTORY | O_CLOEXEC }

    /// Opens a directory; links on the way are followed.
    init(_ path: String) throws(StoreFailure) {
        number = open(path, Self.flags)
        self.path = path
        guard number >= 0 else { throw StoreFailure("open", path, errno) }
    }

    private init(_ number: Int32, _ path: String) {
        self.number = number
        self.path = path
    }

    deinit { if number >= 0 { close(number) } }

    func path(_ name: String) -> String { path + "/" + name }

    func folder(_ name: String) throws(StoreFailure) -> Folder {
        let number = openat(self.number, name, Self.flags | O_NOFOLLOW)
        guard number >= 0 else { throw StoreFailure("open", path(name), errno) }
        return Folder(number, path(name))
    }

    /// Makes a directory and opens it.
    func makeFolder(_ name: String, mode: mode_t) throws(StoreFailure) -> Folder {
        guard mkdirat(number, name, mode) == 0 else {
            throw StoreFailure("make", path(name), errno)
        }
        let folder = try folder(name)
        // The mask of the process may have taken something away.
        guard fchmod(folder.number, mode) == 0 else {
            throw StoreFailure("set the mode of", path(name), errno)
        }
        return folder
    }

    /// Opens a file for reading. Nothing blocks: a pipe of that name is refused.
    func file(_ name: String) throws(StoreFailure) -> Int32 {
        let file = openat(
            number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { throw StoreFailure("open", path(name), errno) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw StoreFailure(
                .refused, "\(path(name)) is not a regular file",
                help: ["put the file itself there, or leave it out"])
        }
        return file
    }

    /// Makes a file that is not there yet, writes it to the disk, and gives it a mode.
    func write(
        _ name: String, mode: mode_t, _ next: () throws(StoreFailure) -> ArraySlice<UInt8>?
    ) throws(StoreFailure) {
        let file = openat(number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StoreFailure("create", path(name), errno) }
        defer { close(file) }
        while let piece = try next() {
            var rest = piece
            while !rest.isEmpty {
                let put = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
                guard put >= 0 || errno == EINTR else {
                    throw StoreFailure("write", path(name), errno)
                }
                rest = rest.dropFirst(max(0, put))
            }
        }
        guard fchmod(file, mode) == 0, fsync(file) == 0 else {
            throw StoreFailure("write", path(name), errno)
        }
    }

    /// Puts a small file in place of another one, at once.
    func replace(_ name: String, with text: String) throws(StoreFailure) {
        let new = ".\(name).new"
        _ = unlinkat(number, new, 0)
        var piece: ArraySlice<UInt8>? = Array(text.utf8)[...]
        try write(new, mode: 0o600) { () throws(StoreFailure) in
            defer { piece = nil }
            return piece
        }
        guard renameat(number, new, number, name) == 0 else {
            throw StoreFailure("replace", path(name), errno)
        }
        try sync()
    }

    /// Reads a small file; nil where there is none.
    func text(_ name: String, limit: Int) throws(StoreFailure) -> String? {
        guard has(name) else { return nil }
        let file = try self.file(name)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw StoreFailure("read", path(name), errno) }
        guard count <= limit, let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw StoreFailure(.system, "\(path(name)) is damaged", help: ["look at it"])
        }
        return text
    }

    /// Writes the names in it to the disk.
    func sync() throws(StoreFailure) {
        guard fsync(number) == 0 else { throw StoreFailure("write", path, errno) }
    }

    func has(_ name: String) -> Bool { kind(of: name) != nil }

    /// What a name stands for; nil where there is nothing.
    func kind(of name: String) -> Kind? {
        var status = stat()
        guard fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(isExecutable: status.st_mode & 0o100 != 0)
        case S_IFDIR: return .folder
        case S_IFLNK: return .other("a symbolic link")
        case S_IFIFO: return .other("a named pipe")
        case S_IFSOCK: return .other("a socket")
        default: return .other("a device")
        }
    }

    /// The names in it, sorted by their bytes.
    func names() throws(StoreFailure) -> [String] {
        let copy = openat(number, ".", Self.flags)
        guard copy >= 0, let stream = fdopendir(copy) else {
            throw StoreFailure("read", path, errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: entry.pointee.d_name) {
                $0.prefix { $0 != 0 }.map(\.self)
            }
            guard let name = String(validating: bytes, as: UTF8.self) else {
                throw StoreFailure(
                    .refused,
                    "\(path) has a name that is not UTF-8: \(String(decoding: bytes, as: UTF8.self))",
                    help: ["rename it"])
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Removes a file or a directory with all that is in it, as far as that can be.
    func remove(_ name: String) {
        guard let kind = kind(of: name) else { return }
        guard case .folder = kind else {
            _ = unlinkat(number, name, 0)
            return
        }
        if let folder = try? folder(name) {
            for name in (try? folder.names()) ?? [] { folder.remove(name) }
        }
        _ = unlinkat(number, name, AT_REMOVEDIR)
    }

    /// Gives an entry a name that is not taken, or exchanges it with what has the name.
    func place(
        _ name: String, in other: Folder, as newName: String, exchanging: Bool
    ) throws(StoreFailure) {
        let code = csys_place(number, name, other.number, newName, exchanging)
        guard code == 0 else {
            throw StoreFailure("rename something to", other.path(newName), code)
        }
        do throws(StoreFailure) {
            try other.sync()
        } catch {
            throw error.afterChange
        }
    }
}
