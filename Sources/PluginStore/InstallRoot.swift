// SPDX-License-Identifier: Apache-2.0
internal import CSystem
internal import Glibc
internal import PluginBridge

/// A directory of plugins, and the content store beside it.
///
///     plugins/org.example.tidy/             a copy of the version that is installed
///     plugins.store/sha256-…/               the content of a version, which is never changed
///     plugins.store/org.example.tidy.history  the versions of a plugin, in order
///     plugins.store/audit.jsonl             a line for each change
///
/// Plugins are copies, and not links to the store: a host refuses links, and a file that is
/// overwritten in its place must not change the store as well.
///
/// A change is one rename at the end of several steps, each of which is on the disk before the next
/// one begins. One process at a time changes something; what another one has left half done begins
/// with a point, and is removed by the next.
package final class InstallRoot {
    /// The path of the directory of plugins.
    package let directory: String
    private let plugins: Folder
    private let store: Folder
    private let auditLine: (AuditEntry) -> String

    /// The name of what is being made, in both directories.
    private static var new: String { ".new" }
    private static var old: String { ".old" }
    package static var auditName: String { "audit.jsonl" }

    /// The path of the store beside a directory of plugins.
    package static func store(of directory: String) -> String { directory + ".store" }

    /// Opens a directory of plugins and its store, which are made where they are missing, and waits
    /// until no other process changes something.
    ///
    /// - Parameters:
    ///   - wait: called before waiting for another process.
    ///   - audit: the line for a change, without a line feed.
    package init(
        _ directory: String, wait: () -> Void = {}, audit: @escaping (AuditEntry) -> String
    ) throws(StoreFailure) {
        self.directory = directory
        auditLine = audit
        try Self.makeFolder(directory, mode: 0o755)
        try Self.makeFolder(Self.store(of: directory), mode: 0o700)
        for path in [directory, Self.store(of: directory)] {
            do throws(BridgeError) {
                // What others could change there would not be loaded.
                _ = try PluginDirectory(path)
            } catch {
                throw StoreFailure(error)
            }
        }
        plugins = try Folder(directory)
        store = try Folder(Self.store(of: directory))
        var code = csys_lock_directory(store.number)
        if code == EWOULDBLOCK {
            wait()
            code = csys_wait_for_directory(store.number)
        }
        guard code == 0 else { throw StoreFailure("lock", store.path, code) }
        for name in [Self.new, Self.old] {
            plugins.remove(name)
            store.remove(name)
        }
    }

    /// Makes a directory and those above it.
    private static func makeFolder(_ path: String, mode: mode_t) throws(StoreFailure) {
        var made = ""
        let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        for (index, name) in names.enumerated() {
            made += "/" + name
            let isLast = index == names.count - 1
            if mkdir(made, isLast ? mode : 0o755) == 0 || errno == EEXIST { continue }
            let code = errno
            // One above may be there, in a directory that this user may not write to.
            guard !isLast, access(made, F_OK) == 0 else { throw StoreFailure("make", made, code) }
        }
    }

    // MARK: Looking

    /// Returns the plugin of an id, or nil where it is not installed.
    package func plugin(_ id: String) throws(StoreFailure) -> InstalledPlugin? {
        switch plugins.kind(of: id) {
        case nil: return nil
        case .file?, .other?:
            throw StoreFailure(
                .conflict, "\(plugins.path(id)) is not a directory",
                help: ["move it away, and install the plugin again"])
        case .folder?: break
        }
        let tree = try FileTree(try plugins.folder(id), isInstalled: true)
        let manifest = try? Manifest.read(directory: plugins.path(id)).get()
        return InstalledPlugin(
            id: id, directory: plugins.path(id),
            version: StoredVersion(digest: tree.digest, version: manifest?.version ?? "-"),
            tree: tree)
    }

    /// The ids of the plugins that have a history, in order.
    package func ids() throws(StoreFailure) -> [String] {
        try store.names().compactMap { Self.id(ofHistory: $0) }.filter { plugins.has($0) }
    }

    /// Returns the path of a version in the store.
    package func path(of version: StoredVersion) -> String { store.path(version.digest) }

    /// Returns the version before the one that is installed, or the last one where none is.
    package func version(before current: InstalledPlugin?, of id: String) throws(StoreFailure)
        -> StoredVersion
    {
        let history = try history(of: id)
        guard let version = history.version(before: current?.version.digest) else {
            throw StoreFailure(
                .missing,
                current == nil
                    ? "there is no plugin \(id), and none was there before"
                    : "there is no version of \(id) before \(current?.version.version ?? "-")",
                help: ["curfew plugins"])
        }
        try check(version)
        return version
    }

    /// Returns what is wrong with an installed plugin, one line each; nothing for what is sound.
    package func problems(with plugin: InstalledPlugin) throws(StoreFailure) -> [String] {
        let history = try history(of: plugin.id)
        if history.has(plugin.version.digest) {
            do throws(StoreFailure) {
                try check(plugin.version)
                return []
            } catch {
                return [error.message]
            }
        }
        guard let last = history.versions.last else {
            return [
                "it was not installed by curfew install, and there is nothing to compare it with"
            ]
        }
        let stored = try? FileTree(try store.folder(last.digest))
        guard let stored, stored.digest == last.digest else {
            return ["it was changed after it was installed, and its copy in the store is damaged"]
        }
        return plugin.tree.differences(from: stored)
    }

    /// Throws where a version in the store is not what its name says.
    private func check(_ version: StoredVersion) throws(StoreFailure) {
        let tree = store.has(version.digest) ? try FileTree(try store.folder(version.digest)) : nil
        guard tree?.digest == version.digest else {
            throw StoreFailure(
                .conflict,
                "the copy of version \(version.version) in the store is \(tree == nil ? "missing" : "damaged"): \(path(of: version))",
                help: ["install the plugin again from where you have it"])
        }
    }

    // MARK: Changing

    /// Copies a plugin from a directory or a tar archive, and returns the path of the copy. What is
    /// checked there is what `install` installs.
    package func stage(_ source: String) throws(StoreFailure) -> (path: String, digest: String) {
        var status = stat()
        guard stat(source, &status) == 0 else {
            guard errno != ENOENT else {
                throw StoreFailure(.missing, "there is no \(source)")
            }
            throw StoreFailure("open", source, errno)
        }
        store.remove(Self.new)
        let staged = try StagedPlugin(Self.new, in: store, modes: .stored)
        if status.st_mode & S_IFMT == S_IFDIR {
            try staged.addAll(of: try Folder(source))
        } else {
            try PluginArchive(path: source).copy(to: staged)
            try staged.raiseSingleFolder(unless: Manifest.fileName)
        }
        try staged.sync()
        return (staged.folder.path, try FileTree(staged.folder).digest)
    }

    /// Installs the staged plugin, which has been checked. Returns what was there before, or the
    /// plugin itself where that very content is installed already and nothing is changed.
    @discardableResult
    package func install(
        _ id: String, _ version: StoredVersion, signer: String?
    ) throws(StoreFailure) -> InstalledPlugin? {
        try checkOthers(id)
        let current = try plugin(id)
        try keepStaged(version.digest)
        let history = try history(of: id)
        if let current, current.version.digest == version.digest {
            if !history.has(version.digest) {
                try write(VersionHistory([version]), of: id)
            }
            return current
        }
        // A plugin that was changed after its installation is not kept: the store has the version itself.
        let before = current.flatMap { history.isOf($0.version.digest) ? $0.version : nil }
        if let before, !store.has(before.digest) {
            // It was put there in another way; it is kept, so that it can be brought back.
            let staged = try StagedPlugin(Self.new, in: store, modes: .stored)
            try staged.addAll(of: try plugins.folder(id))
            try staged.sync()
            try keepStaged(before.digest)
        }
        try copy(version)
        try write(history.installing(version, over: before), of: id)
        try place(
            id,
            AuditEntry(
                .install, id: id, version: version.version, digest: version.digest, signer: signer,
                before: current?.version.digest), over: current)
        try? collectGarbage()
        return current
    }

    /// Brings back a version of the store.
    package func rollBack(
        _ id: String, to version: StoredVersion, from current: InstalledPlugin?, signer: String?
    ) throws(StoreFailure) {
        try checkOthers(id)
        let history = try history(of: id)
        try copy(version)
        try place(
            id,
            AuditEntry(
                .rollback, id: id, version: version.version, digest: version.digest,
                signer: signer, before: current?.version.digest), over: current)
        // Where that fails, the list names a version more, which does no harm.
        try? write(history.returning(to: version, from: current?.version.digest), of: id)
    }

    /// Removes a plugin. Its versions stay in the store.
    package func remove(_ plugin: InstalledPlugin) throws(StoreFailure) {
        let (id, version) = (plugin.id, plugin.version)
        let history = try history(of: id)
        let isVersion = history.isOf(version.digest)
        if isVersion, !store.has(version.digest) {
            let staged = try StagedPlugin(Self.new, in: store, modes: .stored)
            try staged.addAll(of: try plugins.folder(id))
            try staged.sync()
            try keepStaged(version.digest)
        }
        if isVersion, history.versions.last?.digest != version.digest {
            try write(history.ending(with: version), of: id)
        }
        try record(
            AuditEntry(
                .remove, id: id, version: version.version, digest: version.digest,
                before: version.digest))
        do throws(StoreFailure) {
            try plugins.place(id, in: plugins, as: Self.old, exchanging: false)
        } catch {
            if !error.isDone { try? record(AuditEntry(.failed, id: id, digest: version.digest)) }
            throw error
        }
        plugins.remove(Self.old)
    }

    /// Appends a line to the audit and waits until it is on the disk.
    package func record(_ entry: AuditEntry) throws(StoreFailure) {
        let path = store.path(Self.auditName)
        let file = openat(
            store.number, Self.auditName,
            O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StoreFailure("open", path, errno) }
        defer { close(file) }
        let line = Array((auditLine(entry) + "\n").utf8)
        // One call: the lines of two processes do not mix.
        let written = line.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard written == line.count else {
            throw StoreFailure("write", path, written < 0 ? errno : ENOSPC)
        }
        guard fsync(file) == 0 else { throw StoreFailure("write", path, errno) }
    }

    // MARK: Steps

    /// Gives the staged copy its name in the store. A damaged copy of the same content is replaced.
    private func keepStaged(_ digest: String) throws(StoreFailure) {
        guard store.has(digest) else {
            return try name(digest, exchanging: false)
        }
        if (try? FileTree(try store.folder(digest)))?.digest != digest {
            try name(digest, exchanging: true)
        }
        store.remove(Self.new)
    }

    /// What is in the store is no change that anybody sees.
    private func name(_ digest: String, exchanging: Bool) throws(StoreFailure) {
        do throws(StoreFailure) {
            try store.place(Self.new, in: store, as: digest, exchanging: exchanging)
        } catch {
            throw StoreFailure(error.kind, error.message, help: error.help)
        }
    }

    /// Copies a version of the store to the plugins, under the name of what is being made.
    private func copy(_ version: StoredVersion) throws(StoreFailure) {
        plugins.remove(Self.new)
        let copy = try StagedPlugin(Self.new, in: plugins, modes: .installed)
        try copy.addAll(of: try store.folder(version.digest))
        try copy.sync()
        guard try FileTree(copy.folder).digest == version.digest else {
            throw StoreFailure(.system, "the copy of \(path(of: version)) is not the same as it")
        }
    }

    /// Tells the audit, and then exchanges the plugin in one rename. The audit comes first, so that
    /// no change is without a line; a change that fails has a second one.
    private func place(
        _ id: String, _ entry: AuditEntry, over current: InstalledPlugin?
    ) throws(StoreFailure) {
        try record(entry)
        do throws(StoreFailure) {
            try plugins.place(Self.new, in: plugins, as: id, exchanging: current != nil)
        } catch {
            if !error.isDone { try? record(AuditEntry(.failed, id: id, digest: entry.digest)) }
            throw error
        }
        plugins.remove(Self.new)
    }

    /// Throws where another directory among the plugins has a plugin of this id: which of the two a
    /// host finds first would be chance.
    private func checkOthers(_ id: String) throws(StoreFailure) {
        for name in try plugins.names() where name != id && name.utf8.first != UInt8(ascii: ".") {
            guard let other = try? Manifest.read(directory: plugins.path(name)).get(),
                other.id == id
            else { continue }
            throw StoreFailure(
                .conflict,
                "the plugin \(id) is there already in \(plugins.path(name)), where curfew install did not put it",
                help: ["remove that directory, and install the plugin again"])
        }
    }

    // MARK: Histories

    private static var historySuffix: String { ".history" }

    private static func id(ofHistory name: String) -> String? {
        guard name.utf8.first != UInt8(ascii: "."),
            name.utf8.reversed().starts(with: historySuffix.utf8.reversed())
        else { return nil }
        return String(Substring(name.utf8.dropLast(historySuffix.utf8.count)))
    }

    private func history(of id: String) throws(StoreFailure) -> VersionHistory {
        let name = id + Self.historySuffix
        guard let text = try store.text(name, limit: VersionHistory.sizeLimit) else {
            return VersionHistory()
        }
        guard let history = VersionHistory(text: text) else {
            throw StoreFailure(
                .system, "\(store.path(name)), the list of versions, is damaged",
                help: ["remove that file; versions before the present one are lost"])
        }
        return history
    }

    private func write(_ history: VersionHistory, of id: String) throws(StoreFailure) {
        try store.replace(id + Self.historySuffix, with: history.text)
    }

    /// Removes versions that no history names any more.
    private func collectGarbage() throws(StoreFailure) {
        let names = try store.names()
        var kept: Set<String> = []
        for id in names.compactMap(Self.id(ofHistory:)) {
            kept.formUnion(try history(of: id).versions.map(\.digest))
        }
        for name in names where name.utf8.starts(with: "sha256-".utf8) && !kept.contains(name) {
            store.remove(name)
        }
    }
}
