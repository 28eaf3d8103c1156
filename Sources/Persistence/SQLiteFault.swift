// SPDX-License-Identifier: Apache-2.0
internal import CSQLite
import Glibc
internal import Scheduling

/// An error of SQLite's, and what it means for whoever uses the store.
struct SQLiteFault {
    let path: String
    /// With its extension.
    let code: Int32
    let errno: Int32
    let text: String

    init(_ path: String, code: Int32, errno: Int32, text: String? = nil) {
        self.path = path
        self.code = code
        self.errno = errno
        self.text = text ?? String(cString: sqlite3_errstr(code))
    }

    private var primary: Int32 { code & 0xFF }
    // <sqlite3.h> has them as casts and shifts.
    private static let moved: Int32 = 8 | 4 << 8
    private static let link: Int32 = 14 | 6 << 8

    /// Whether what was written before the error is on the disk is not known any more, and asking
    /// the system again would not tell.
    var takesTrust: Bool { primary == SQLITE_IOERR && kind != .full }

    private var kind: StoreFault.Kind {
        if code == Self.moved { return .gone }
        if code == Self.link { return .denied }
        switch primary {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
        case SQLITE_FULL: return .full
        case SQLITE_READONLY, SQLITE_PERM: return .readOnly
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
            switch kind {
            case .busy: ("another process holds it", "try again")
            case .full where errno == EFBIG:
                ("its file would be larger than this process may write", OpenFile.fileSizeAdvice)
            case .full: ("its disk is full", "make room and try again")
            case .readOnly:
                ("it cannot be written to", "look at the rights of its directory and its disk")
            case .io:
                ("the system could not read or write it", "look at the system's log for its disk")
            case .corrupt:
                ("what is in it makes no sense", "run `curfew db check`, or take a backup back")
            case .gone: ("its file was deleted or replaced", "stop the host and put it back")
            case .denied: ("it is a link", "put the file itself there")
            case .newer, .locked, .absent: ("", "")
            }
        return StoreFault(
            kind,
            "the store \(path): \(what) (\(said)); \(takesTrust ? "the last change may be there or not" : "nothing was changed"): \(next)"
        )
    }
}
