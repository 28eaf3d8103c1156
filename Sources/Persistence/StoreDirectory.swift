// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc
internal import Scheduling

/// The directory a store is in, which is its own: found to be safe before anything in it is opened.
///
/// It belongs to the user of the process, root's commands not excepted: files that another user could
/// put there, or that root would leave behind in a user's store, are trouble either way.
struct StoreDirectory {
    /// Without links.
    let path: String
    let database: String
    var journal: String { database + "-wal" }
    var lock: String { path + "/lock" }
    var wake: String { path + "/wake" }
    /// The path of the acknowledged numbers: see `HighWaterMark`.
    var mark: String { path + "/acknowledged" }

    /// Finds the directory, or makes it with `creating`, readable by its owner only. What is above it
    /// must be there.
    init(_ name: String, creating: Bool) throws(StoreFault) {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw StoreFault(.denied, "a store's directory has no name: say where it is to be")
        }
        if creating, mkdir(name, 0o700) != 0, errno != EEXIST {
            throw OpenFile.fault(
                errno, "the store's directory \(name) cannot be made",
                errno == ENOENT ? "make the directory above it first" : "")
        }
        guard let real = realpath(name, nil) else {
            throw errno == ENOENT
                ? Self.absent(name)
                : OpenFile.fault(errno, "the store's directory \(name) cannot be opened")
        }
        defer { free(real) }
        // Repaired, it would be the path of another directory.
        guard let text = String(validatingCString: real) else {
            throw StoreFault(
                .denied,
                "the store's directory \(name) is in one whose name is not UTF-8, \(String(cString: real)): use another one, or rename that"
            )
        }
        path = text
        database = path + "/requests.db"
        try check()
    }

    /// Returns the command that checks a store's file: without the option it would check the
    /// default store. A backup is a file of another name, and no store.
    static func check(ofDatabase path: String) -> String {
        let isStore = path.hasSuffix("/requests.db")
        return "curfew db check" + (isStore ? " --store \(OpenFile.parent(of: path))" : "")
    }

    /// Syncs the directory's own entry, and those of its parents: SQLite syncs the content, and a
    /// process that created one of them may have ended before it synced.
    func syncParents() throws(StoreFault) {
        var name = path
        while name != "/" {
            name = OpenFile.parent(of: name)
            do throws(StoreFault) {
                try OpenFile.sync(name, O_RDONLY | O_DIRECTORY)
            } catch {
                // The file may be unreadable, or the file system may not support the call.
                guard [.denied, .absent].contains(error.kind) else { throw error }
            }
        }
    }

    private func check() throws(StoreFault) {
        let fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard fd >= 0 else {
            throw OpenFile.fault(errno, "the store's directory \(path) cannot be opened")
        }
        defer { close(fd) }
        var facts = stat()
        guard fstat(fd, &facts) == 0 else {
            throw OpenFile.fault(errno, "the store's directory \(path) cannot be examined")
        }
        try Self.checkOwner(facts, "the store's directory \(path)", fix: "chmod go-w \(path)")
        if csys_is_remote(fd) {
            throw StoreFault(
                .denied,
                "\(path) is on another machine's disk, where a store loses requests: use a directory on a disk of this machine"
            )
        }
    }

    private static func checkOwner(
        _ facts: stat, _ what: String, fix: String
    ) throws(StoreFault) {
        guard facts.st_uid == geteuid() else {
            throw StoreFault(
                .denied,
                "\(what) belongs to user \(facts.st_uid), and this is user \(geteuid()): use it as its owner, or use another one"
            )
        }
        guard facts.st_mode & 0o022 == 0 else {
            throw StoreFault(.denied, "\(what) can be written to by others: \(fix)")
        }
    }

    /// Checks that the database's file exists and is safe to open; with `creating` creates an empty
    /// one. Returns true if it was created.
    ///
    /// Throws `.gone` and `.corrupt` where it is not there or empty, and was neither: SQLite would
    /// begin a new one, and throw away what is left of the old one's log.
    func prepareDatabase(creating: Bool) throws(StoreFault) -> Bool {
        // Read this first, since another process may be creating the store.
        let trace = trace
        var facts = stat()
        if lstat(database, &facts) == 0 {
            guard facts.st_mode & S_IFMT == S_IFREG, facts.st_nlink == 1 else {
                throw StoreFault(
                    .denied,
                    "\(database) is a link, or no file: a store's file is a plain one with no other name"
                )
            }
            try Self.checkOwner(facts, database, fix: "chmod 600 \(database)")
            if let trace, facts.st_size == 0 { throw lost(.corrupt, "is empty", trace) }
            return false
        }
        guard errno == ENOENT else {
            throw OpenFile.fault(errno, "\(database) cannot be examined")
        }
        if let trace { throw lost(.gone, "is not there", trace) }
        guard creating else {
            throw isAbsent
        }
        // Only a file that was not there: closing any descriptor of an open database would take
        // the locks from SQLite.
        let fd = open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if fd < 0, errno == EEXIST { return false }
        guard fd >= 0 else {
            throw errno == EACCES
                ? StoreFault(.readOnly, "\(database) cannot be made: \(path) is not writable")
                : OpenFile.fault(errno, "\(database) cannot be made")
        }
        close(fd)
        return true
    }

    /// A file that only a store leaves behind that was used; nil: there is none.
    var trace: String? {
        if OpenFile.size(of: journal) > 0 { return journal }
        if OpenFile.identity(of: wake) != nil { return wake }
        return OpenFile.size(of: mark) > 0 ? mark : nil
    }

    /// A database without tables, where requests were acknowledged: its log had them.
    func checkNeverUsed() throws(StoreFault) {
        if let lostTables { throw lostTables }
    }

    /// The fault of a database without tables; nil if no request was acknowledged.
    var lostTables: StoreFault? {
        OpenFile.size(of: mark) > 0 ? lost(.corrupt, "has no tables", mark) : nil
    }

    /// The fault of a store that was never created.
    var isAbsent: StoreFault { Self.absent(path) }

    private static func absent(_ name: String) -> StoreFault {
        StoreFault(.absent, "there is no store at \(name): no host has used it yet")
    }

    /// Another process has begun to make or change the tables, and does not end that.
    var isBeingMade: StoreFault {
        StoreFault(
            .busy,
            "the tables of the store \(path) are made or changed by another process; nothing was changed: try again, and see what that process does"
        )
    }

    private func lost(_ kind: StoreFault.Kind, _ what: String, _ trace: String) -> StoreFault {
        StoreFault(
            kind,
            "\(database) \(what), and \(trace) says that there were requests in it; nothing was changed: restore a backup, or remove what is in \(path) to begin with nothing"
        )
    }
}
