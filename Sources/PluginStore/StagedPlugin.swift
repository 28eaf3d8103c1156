// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A copy of a plugin while it is made, in a directory that only its owner can open.
///
/// Files get the same modes wherever they come from: of the source only counts whether the owner may
/// execute one.
final class StagedPlugin {
    /// The modes of the files and directories of a copy.
    struct Modes {
        let folder: mode_t
        let file: mode_t
        let program: mode_t

        /// In the store, where nothing is changed any more.
        static let stored = Modes(folder: 0o700, file: 0o400, program: 0o500)
        /// Among the plugins, where every user can load them.
        static let installed = Modes(folder: 0o755, file: 0o644, program: 0o755)
    }

    let folder: Folder
    private let modes: Modes
    private var count = 0
    private var size: UInt64 = 0

    /// Makes an empty directory.
    init(_ name: String, in parent: Folder, modes: Modes) throws(StoreFailure) {
        self.modes = modes
        folder = try parent.makeFolder(name, mode: modes.folder)
    }

    /// Adds a directory, and those above it.
    func addFolder(_ path: String) throws(StoreFailure) {
        _ = try open(try names(of: path), shown: path)
    }

    /// Adds a file with its content, and the directories above it.
    func addFile(
        _ path: String, isExecutable: Bool, _ next: () throws(StoreFailure) -> ArraySlice<UInt8>?
    ) throws(StoreFailure) {
        var names = try names(of: path)
        let name = names.removeLast()
        let parent = try open(names, shown: path)
        guard !parent.has(name) else {
            throw StoreFailure(.refused, "\(path) is there twice", help: ["leave one out"])
        }
        try add()
        let mode = isExecutable ? modes.program : modes.file
        try parent.write(name, mode: mode) { () throws(StoreFailure) in
            let piece = try next()
            try checkRoom(for: UInt64(piece?.count ?? 0))
            size += UInt64(piece?.count ?? 0)
            return piece
        }
    }

    /// Throws where so many bytes more are too many.
    func checkRoom(for bytes: UInt64) throws(StoreFailure) {
        guard bytes <= FileTree.sizeLimit, size + bytes <= FileTree.sizeLimit else {
            throw StoreFailure(
                .refused, "the files have more than \(FileTree.sizeLimit >> 20) MiB in all",
                help: ["leave out what the plugin does not need"])
        }
    }

    /// Copies all files of a directory.
    func addAll(of source: Folder, _ path: String = "", depth: Int = 1) throws(StoreFailure) {
        for name in try source.names() {
            let path = path.isEmpty ? name : path + "/" + name
            switch source.kind(of: name) {
            case .folder?:
                try addFolder(path)
                try addAll(of: try source.folder(name), path, depth: depth + 1)
            case .file(let isExecutable)?:
                let file = try source.file(name)
                defer { close(file) }
                var piece = [UInt8](repeating: 0, count: 1 << 18)
                try addFile(path, isExecutable: isExecutable) { () throws(StoreFailure) in
                    while true {
                        let got = piece.withUnsafeMutableBytes {
                            read(file, $0.baseAddress, $0.count)
                        }
                        if got > 0 { return piece[..<got] }
                        if got == 0 { return nil }
                        guard errno == EINTR else {
                            throw StoreFailure("read", source.path(name), errno)
                        }
                    }
                }
            case .other(let kind)?:
                throw StoreFailure(
                    .refused, "\(source.path(name)) is \(kind), and a plugin has only files",
                    help: ["put the file itself there, or leave it out"])
            case nil: throw StoreFailure("find", source.path(name), ENOENT)
            }
        }
    }

    /// Where all is in one directory, moves its content up, as of an archive of a directory.
    func raiseSingleFolder(unless name: String) throws(StoreFailure) {
        let names = try folder.names()
        guard names.count == 1, names[0] != name, case .folder? = folder.kind(of: names[0]) else {
            return
        }
        // A name that no entry below has.
        let outer = ".raised"
        try folder.place(names[0], in: folder, as: outer, exchanging: false)
        let inner = try folder.folder(outer)
        for name in try inner.names() {
            try inner.place(name, in: folder, as: name, exchanging: false)
        }
        folder.remove(outer)
    }

    /// Writes the names of all directories to the disk.
    func sync(_ folder: Folder? = nil) throws(StoreFailure) {
        let folder = folder ?? self.folder
        for name in try folder.names() {
            if case .folder? = folder.kind(of: name) { try sync(try folder.folder(name)) }
        }
        try folder.sync()
    }

    private func add() throws(StoreFailure) {
        count += 1
        guard count <= FileTree.countLimit else {
            throw StoreFailure(
                .refused,
                "the plugin has more than \(FileTree.countLimit) files and directories",
                help: ["leave out what the plugin does not need"])
        }
    }

    /// Splits a path into names that lead nowhere else.
    private func names(of path: String) throws(StoreFailure) -> [String] {
        let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard path.utf8.count <= FileTree.pathLimit, names.count <= FileTree.depthLimit else {
            throw StoreFailure(
                .refused,
                "a path has more than \(FileTree.pathLimit) bytes or \(FileTree.depthLimit) parts: \(path.prefix(64))…",
                help: ["leave it out"])
        }
        for name in names {
            guard let problem = FileTree.problem(withName: name) else { continue }
            throw StoreFailure(
                .refused, "the path \(path) cannot be one of a plugin's file: \(problem)",
                help: ["do not trust where it comes from"])
        }
        return names
    }

    /// Opens a directory of the copy, and makes what is missing of its path.
    private func open(_ names: [String], shown: String) throws(StoreFailure) -> Folder {
        var folder = folder
        for name in names {
            switch folder.kind(of: name) {
            case .folder?: folder = try folder.folder(name)
            case nil:
                try add()
                folder = try folder.makeFolder(name, mode: modes.folder)
            case .file?, .other?:
                throw StoreFailure(.refused, "\(shown) is there as a file and as a directory")
            }
        }
        return folder
    }
}
