// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import PluginBridge

/// The files of a plugin, and the digest that names them all.
package struct FileTree: Hashable, Sendable {
    struct File: Hashable {
        /// Relative to the plugin's directory.
        let path: String
        let isExecutable: Bool
        let sha256: String
    }

    let files: [File]
    /// `sha256-` and 64 digits: the SHA-256 of the list of files. Times and owners are no part of it,
    /// nor are empty directories.
    package let digest: String

    // The limits of a plugin's directory.
    /// Files and directories.
    package static var countLimit: Int { 4_096 }
    package static var depthLimit: Int { 16 }
    /// Bytes of a path.
    package static var pathLimit: Int { 1_024 }
    /// Bytes of all files.
    package static var sizeLimit: UInt64 { 1 << 30 }

    /// Reads the directory of a plugin.
    ///
    /// - Parameter isInstalled: links, pipes and other things, which no plugin has, are listed like
    ///   files, with what they are in place of a digest.
    init(_ folder: Folder, isInstalled: Bool = false) throws(StoreFailure) {
        var files: [File] = []
        var count = 0
        try Self.read(folder, "", 1, isInstalled: isInstalled, &count, &files)
        self.files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        let list = self.files.map { "\($0.sha256) \($0.isExecutable ? "x" : "-") \($0.path)\n" }
            .joined()
        do throws(BridgeError) {
            digest = "sha256-" + (try Array(list.utf8).withDigest())
        } catch {
            throw StoreFailure(error)
        }
    }

    /// The digests of all files that are not the same in another tree, by their paths.
    func differences(from other: FileTree) -> [String] {
        let theirs = Dictionary(uniqueKeysWithValues: other.files.map { ($0.path, $0) })
        let ours = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0) })
        let added = files.filter { theirs[$0.path] == nil }.map { "\($0.path) was added" }
        let changed = other.files.compactMap { file -> String? in
            guard let own = ours[file.path] else { return "\(file.path) is missing" }
            if own.sha256 == file.sha256 {
                return own == file ? nil : "\(file.path) was made executable, or no longer is"
            }
            return "\(file.path) was changed"
        }
        return changed + added
    }

    /// Returns why a name cannot be one of a plugin's file, or nil.
    static func problem(withName name: String) -> String? {
        if name.isEmpty || name == "." || name == ".." { return "it leads somewhere else" }
        if name.utf8.count > 255 { return "it has more than 255 bytes" }
        if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            return "it has a control character in it"
        }
        return nil
    }

    private static func read(
        _ folder: Folder, _ path: String, _ depth: Int, isInstalled: Bool, _ count: inout Int,
        _ files: inout [File]
    ) throws(StoreFailure) {
        guard depth <= depthLimit else {
            throw StoreFailure(
                .refused, "\(folder.path) is \(depth) directories deep, the limit is \(depthLimit)")
        }
        for name in try folder.names() {
            count += 1
            guard count <= countLimit else {
                throw StoreFailure(
                    .refused, "there are more than \(countLimit) files and directories")
            }
            switch folder.kind(of: name) {
            case .folder?:
                try read(
                    try folder.folder(name), path + name + "/", depth + 1,
                    isInstalled: isInstalled, &count, &files)
            case .file(let isExecutable)?:
                let file = try folder.file(name)
                defer { close(file) }
                do throws(BridgeError) {
                    files.append(
                        File(
                            path: path + name, isExecutable: isExecutable,
                            sha256: try LibraryDigest.sha256(of: file, path: folder.path(name))))
                } catch {
                    throw StoreFailure(error)
                }
            case .other(let kind)? where isInstalled:
                files.append(File(path: path + name, isExecutable: false, sha256: kind))
            case .other(let kind)?:
                throw StoreFailure(
                    .refused, "\(folder.path(name)) is \(kind), and a plugin has only files",
                    help: ["put the file itself there, or leave it out"])
            case nil: throw StoreFailure("find", folder.path(name), ENOENT)
            }
        }
    }
}

extension [UInt8] {
    fileprivate func withDigest() throws(BridgeError) -> String {
        let result = withUnsafeBytes { bytes in
            Result { () throws(BridgeError) in try LibraryDigest.sha256(bytes) }
        }
        return try result.get()
    }
}
