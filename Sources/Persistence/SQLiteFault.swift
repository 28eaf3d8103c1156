// SPDX-License-Identifier: Apache-2.0
internal import CSQLite
internal import CSystem
import Glibc
internal import Scheduling

/// An error of SQLite, and its meaning for the user of the store.
struct SQLiteFault {
    let path: String
    /// With its extension.
    let code: Int32
    /// The reason why no file can be created beside an existing database.
    let errno: Int32
    /// It came from COMMIT.
    let isCommit: Bool
    let text: String
    /// The header of the file is damaged or of another SQLite, which forbids to write it.
    private let isForeign: Bool

    init(
        _ path: String, code: Int32, errno: Int32, isCommit: Bool = false, isForeign: Bool = false,
        text: String? = nil
    ) {
        self.path = path
        self.code = code
        // SQLite keeps the error of its last attempt, which was to open a file that it could not make.
        let isOther = code & 0xFF == SQLITE_CANTOPEN && errno == ENOENT
        self.errno =
            isOther && OpenFile.identity(of: path) != nil
            ? csys_obstacle_to_files(OpenFile.parent(of: path)) : errno
        self.isCommit = isCommit
        self.isForeign = isForeign
        self.text =
            isForeign
            ? "its header asks for another SQLite" : text ?? String(cString: sqlite3_errstr(code))
    }

    private var primary: Int32 { code & 0xFF }
    // <sqlite3.h> has them as casts and shifts.
    private static let moved: Int32 = 8 | 4 << 8
    private static let link: Int32 = 14 | 6 << 8
    private static let write: Int32 = 10 | 3 << 8
    /// Errors of the shared memory, which is the file requests.db-shm.
    private static let shared: Set<Int32> = [
        10 | 18 << 8, 10 | 19 << 8, 10 | 20 << 8, 10 | 21 << 8,
    ]
    private static let syncs: Set<Int32> = [10 | 4 << 8, 10 | 5 << 8]

    /// The connection has to be reopened: the kernel may have marked pages as clean that are not on
    /// the disk, and would not report the error again (fsync(2), "EIO").
    var takesTrust: Bool {
        isOutcomeUnknown
            || (primary == SQLITE_IOERR && (Self.syncs.contains(code) || cause != .full))
    }

    /// COMMIT writes all of a transaction into the log, brings that to the disk, and then lets others
    /// see it. A transaction whose last page could not be written is not there. After that, a reader
    /// of the log finds it, or does not.
    private var isOutcomeUnknown: Bool {
        guard isCommit else { return false }
        switch primary {
        case SQLITE_IOERR: return code != Self.write || cause == .io
        case SQLITE_NOMEM: return true
        default: return false
        }
    }

    private var kind: StoreFault.Kind { isOutcomeUnknown ? .unknown : cause }

    private var cause: StoreFault.Kind {
        if code == Self.moved { return .gone }
        if code == Self.link { return .denied }
        switch primary {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
        case SQLITE_FULL: return .full
        case SQLITE_READONLY, SQLITE_PERM: return isForeign ? .corrupt : .readOnly
        case SQLITE_CANTOPEN:
            switch errno {
            case EROFS, EACCES, EPERM: return .readOnly
            case ENOSPC, EDQUOT: return .full
            case ENOENT: return .gone
            default: return .io
            }
        case SQLITE_IOERR:
            switch errno {
            case ENOSPC, EDQUOT, EFBIG: return .full
            case EROFS: return .readOnly
            default: return .io
            }
        case SQLITE_NOMEM, SQLITE_TOOBIG: return .io
        // A rule of the tables that our own changes keep, or a table that is not as we made it.
        default: return .corrupt
        }
    }

    /// For people, with what to do next.
    var storeFault: StoreFault {
        if primary == SQLITE_MISUSE || primary == SQLITE_RANGE {
            fatalError("the store uses SQLite wrongly: \(text)")
        }
        let said = "\(text)\(errno == 0 ? "" : ", \(String(cString: strerror(errno)))")"
        let (what, next): (String, String) =
            switch cause {
            case .busy: ("another process holds it", "try again")
            case .full where errno == EFBIG:
                ("its file would be larger than this process may write", OpenFile.fileSizeAdvice)
            case .full where Self.shared.contains(code):
                (
                    "its disk is full, and has no room for \(path)-shm",
                    "make room, of which reading needs 32 KiB, too, where no host runs, and try again"
                )
            case .full: ("its disk is full", "make room and try again")
            case .readOnly where errno == EROFS:
                (
                    "its file system is mounted read-only",
                    "mount its file system for writing; where no host runs, reading needs a place for \(path)-shm, too"
                )
            case .readOnly:
                ("it cannot be written to", "look at the rights of its directory and its disk")
            case .io:
                OpenFile.descriptorAdvice(errno).map { ("it cannot be opened", $0) }
                    ?? (
                        "the system could not read or write it",
                        "look at the system's log for its disk"
                    )
            case .corrupt:
                (
                    "what is in it makes no sense",
                    "run `\(StoreDirectory.check(ofDatabase: path))`, or restore a backup"
                )
            case .gone: ("its file was deleted or replaced", "stop the host and put it back")
            case .denied: ("it is a link", "put the file itself there")
            case .newer, .locked, .absent, .unknown, .unreachable, .fenced: ("", "")
            }
        let outcome =
            isOutcomeUnknown
            ? "it is not known whether the change was stored: submit again with the same key, which makes no second request, or see `curfew ps`; then"
            : "nothing was changed:"
        return StoreFault(kind, "the store \(path): \(what) (\(said)); \(outcome) \(next)")
    }
}
