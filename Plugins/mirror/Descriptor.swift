// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An open file descriptor, closed at the end of its life.
struct Descriptor: ~Copyable {
    let number: Int32

    /// Takes the result of `open` or `openat`; `errno` must still be that call's.
    init(_ opened: Int32, _ action: String, _ path: @autoclosure () -> String) throws {
        guard opened >= 0 else { throw MirrorProblem(action, path(), errno) }
        number = opened
    }

    deinit { close(number) }

    func status(_ path: @autoclosure () -> String) throws -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else {
            throw MirrorProblem("look at", path(), errno)
        }
        return status
    }
}

extension stat {
    var type: mode_t { st_mode & S_IFMT }
    /// Without the set-id and sticky bits: on a copy with another owner they would give rights.
    var permissions: mode_t { st_mode & 0o777 }

    func isSameFile(as other: stat) -> Bool {
        st_dev == other.st_dev && st_ino == other.st_ino
    }

    func hasSameTime(as other: stat) -> Bool {
        st_mtim.tv_sec == other.st_mtim.tv_sec && st_mtim.tv_nsec == other.st_mtim.tv_nsec
    }

    /// The times for `futimens`: the access time stays, the modification time is set.
    var times: [timespec] {
        let omit = 0x3fff_fffe  // UTIME_OMIT, which is no constant for Swift
        return [timespec(tv_sec: 0, tv_nsec: omit), st_mtim]
    }
}
