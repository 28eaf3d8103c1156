// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A tar archive with a plugin, read by libarchive.
///
/// Only the format tar is read, as it is or compressed by gzip, bzip2, xz or Zstandard; libarchive
/// starts no program for these. It only takes the archive apart: each path is checked where the
/// file is made, and everything but files and directories is refused.
struct PluginArchive {
    private typealias New = @convention(c) () -> OpaquePointer?
    private typealias Simple = @convention(c) (OpaquePointer?) -> Int32
    private typealias Open = @convention(c) (OpaquePointer?, Int32, Int) -> Int32
    private typealias Next =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    private typealias Text = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    private typealias Mode = @convention(c) (OpaquePointer?) -> mode_t
    private typealias Size = @convention(c) (OpaquePointer?) -> Int64
    private typealias Read = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int) -> Int

    private struct Functions {
        let new: New
        let free: Simple
        /// The format and the compressions.
        let support: [Simple]
        let open: Open
        let next: Next
        let read: Read
        let error: Text
        let path: Text
        let hardLink: Text
        let kind: Mode
        let size: Size
        let permissions: Mode
    }

    private static let functions: Functions? = {
        guard let library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL) else { return nil }
        func function<Function>(_ name: String, _: Function.Type) -> Function? {
            dlsym(library, "archive_" + name).map { unsafeBitCast($0, to: Function.self) }
        }
        let support = [
            "read_support_format_tar", "read_support_filter_gzip", "read_support_filter_bzip2",
            "read_support_filter_xz", "read_support_filter_zstd",
        ].compactMap { function($0, Simple.self) }
        guard support.count == 5, let new = function("read_new", New.self),
            let free = function("read_free", Simple.self),
            let open = function("read_open_fd", Open.self),
            let next = function("read_next_header", Next.self),
            let read = function("read_data", Read.self),
            let error = function("error_string", Text.self),
            let path = function("entry_pathname_utf8", Text.self),
            let hardLink = function("entry_hardlink", Text.self),
            let kind = function("entry_filetype", Mode.self),
            let size = function("entry_size", Size.self),
            let permissions = function("entry_perm", Mode.self)
        else { return nil }
        return Functions(
            new: new, free: free, support: support, open: open, next: next, read: read,
            error: error, path: path, hardLink: hardLink, kind: kind, size: size,
            permissions: permissions)
    }()

    /// ARCHIVE_EOF of archive.h; what is less than zero is an error or a warning.
    private static var end: Int32 { 1 }

    let path: String

    /// Copies all files of the archive.
    func copy(to staged: StagedPlugin) throws(StoreFailure) {
        guard let functions = Self.functions else {
            throw StoreFailure(
                .system,
                "\(path) cannot be read: libarchive.so.13, which reads archives, is not there",
                help: ["install libarchive13, or unpack it and install the directory"])
        }
        // Not blocking: a pipe of that name must not hold up the command.
        let file = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { throw StoreFailure("open", path, errno) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StoreFailure(
                .refused, "\(path) is neither a directory nor a file",
                help: ["give a directory, or an archive that tar has made"])
        }
        guard let archive = functions.new() else { throw StoreFailure("read", path, ENOMEM) }
        defer { _ = functions.free(archive) }
        for support in functions.support { _ = support(archive) }
        guard functions.open(archive, file, 1 << 16) == 0 else { throw fault(archive) }
        var entry: OpaquePointer?
        var entries = 0
        while true {
            let result = functions.next(archive, &entry)
            if result == Self.end { break }
            guard result == 0, let entry else { throw fault(archive) }
            entries += 1
            try copy(entry, of: archive, to: staged)
        }
        guard entries > 0 else {
            throw StoreFailure(
                .refused, "\(path) is no tar archive, or an empty one",
                help: ["give a directory, or an archive that tar has made"])
        }
    }

    private func copy(
        _ entry: OpaquePointer, of archive: OpaquePointer, to staged: StagedPlugin
    ) throws(StoreFailure) {
        let functions = Self.functions!
        guard let name = functions.path(entry).flatMap({ String(validatingCString: $0) }) else {
            throw StoreFailure(.refused, "\(path) has a path that is not UTF-8")
        }
        // As tar writes them: `./a`, and `a/` for a directory.
        var bytes = Substring(name).utf8
        while bytes.starts(with: "./".utf8) { bytes = bytes.dropFirst(2) }
        let kind = functions.kind(entry) & S_IFMT
        if kind == S_IFDIR, bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        let inside = String(Substring(bytes))
        if kind == S_IFDIR, inside.isEmpty || inside == "." { return }
        guard functions.hardLink(entry) == nil, kind == S_IFREG || kind == S_IFDIR else {
            throw StoreFailure(
                .refused,
                "\(path) has something other than a file or a directory in it: \(name)",
                help: ["pack the files themselves, for example with tar --dereference"])
        }
        guard kind == S_IFREG else { return try staged.addFolder(inside) }
        let size = functions.size(entry)
        try staged.checkRoom(for: UInt64(clamping: size))
        var rest = size
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let isExecutable = functions.permissions(entry) & 0o100 != 0
        try staged.addFile(inside, isExecutable: isExecutable) { () throws(StoreFailure) in
            let got = piece.withUnsafeMutableBytes {
                functions.read(archive, $0.baseAddress, $0.count)
            }
            guard got >= 0 else { throw fault(archive) }
            rest -= Int64(got)
            return got == 0 ? nil : piece[..<got]
        }
        // The end of a sparse file may be a hole, which libarchive leaves out.
        guard rest == 0 else {
            throw StoreFailure(
                .refused, "\(path) has another number of bytes for \(name) than it says",
                help: ["pack it without the option --sparse"])
        }
    }

    private func fault(_ archive: OpaquePointer) -> StoreFailure {
        let reason = Self.functions?.error(archive).map { String(cString: $0) } ?? "it is damaged"
        return StoreFailure(
            .refused, "\(path) cannot be read as a tar archive: \(reason)",
            help: ["give a directory, or an archive that tar has made"])
    }
}
