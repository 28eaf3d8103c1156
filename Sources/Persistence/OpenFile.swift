// SPDX-License-Identifier: Apache-2.0
internal import CSystem
import Glibc
internal import Scheduling

/// Queries about a file, by its descriptor or its path.
enum OpenFile {
    /// The identity of a file while it is open.
    struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64

        fileprivate init(_ identity: csys_identity) {
            (device, inode) = (identity.device, identity.inode)
        }
    }

    /// Returns the identity of the file; nil if there is none, or it is unknown.
    static func identity(of path: String) -> Identity? {
        var identity = csys_identity()
        return csys_identify_path(path, &identity) ? Identity(identity) : nil
    }

    static func identity(of fd: Int32) -> Identity? {
        var identity = csys_identity()
        return csys_identify(fd, &identity) ? Identity(identity) : nil
    }

    /// 0 where nothing is.
    static func size(of path: String) -> Int {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts.st_size : 0
    }

    /// Up to `limit` bytes from the file's beginning; nil: they cannot be read.
    static func beginning(of fd: Int32, limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let got = bytes.withUnsafeMutableBytes {
                pread(fd, $0.baseAddress! + count, limit - count, off_t(count))
            }
            if got < 0, errno == EINTR { continue }
            if got < 0 { return nil }
            if got == 0 { break }
            count += got
        }
        return Array(bytes.prefix(count))
    }

    /// Translates an error of the system into a fault of a store.
    static func fault(_ code: Int32, _ what: String, _ advice: String = "") -> StoreFault {
        let kind: StoreFault.Kind
        let help: String
        switch code {
        case ENOSPC, EDQUOT: (kind, help) = (.full, "make room on its disk")
        case EFBIG: (kind, help) = (.full, fileSizeAdvice)
        case EROFS: (kind, help) = (.readOnly, "mount its file system for writing")
        case EIO: (kind, help) = (.io, "look at the system's log for what its disk has")
        case EMFILE, ENFILE: (kind, help) = (.io, descriptorAdvice(code) ?? "")
        case ENOENT, ENOTDIR: (kind, help) = (.absent, "")
        default: (kind, help) = (.denied, "")
        }
        let text = String(cString: strerror(code))
        let last = advice.isEmpty ? help : advice
        return StoreFault(kind, "\(what): \(text)\(last.isEmpty ? "" : "; \(last)")")
    }

    static let fileSizeAdvice =
        "raise the limit of file sizes (`ulimit -f`, or LimitFSIZE= of its systemd unit)"

    /// Which limit an error is about that says that too many files are open; nil: none.
    static func descriptorAdvice(_ code: Int32) -> String? {
        switch code {
        case EMFILE:
            "this process may have \(sysconf(Int32(_SC_OPEN_MAX))) files open at a time: raise that limit (`ulimit -n`, or LimitNOFILE= of its systemd unit)"
        case ENFILE:
            "the machine has as many files open as it may: raise that limit (`sysctl fs.file-max`)"
        default: nil
        }
    }

    /// Brings a file or a directory to the disk.
    static func sync(_ path: String, _ mode: Int32) throws(StoreFault) {
        let fd = open(path, mode | O_CLOEXEC)
        guard fd >= 0 else { throw fault(errno, "\(path) cannot be opened") }
        defer { close(fd) }
        guard fsync(fd) == 0 else {
            throw fault(errno, "\(path) cannot be brought to the disk")
        }
    }

    /// Lets the system read a file from the disk when it is read next. `isLocked` says that a lock of
    /// this process may be on it, which a descriptor of our own would end (fcntl(2), "Record
    /// locking").
    ///
    /// After fsync(2) has failed, Linux takes pages for written that are not, and goes on reading them
    /// from memory (Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020);
    /// ext4 also keeps in memory that their blocks are in use, and not on the disk, so that writing
    /// them once more does not help.
    static func forgetCache(of path: String, isLocked: Bool) {
        if isLocked {
            var identity = csys_identity()
            if csys_identify_path(path, &identity) { csys_forget_cache_of(&identity) }
            return
        }
        let fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard fd >= 0 else { return }
        csys_forget_cache(fd)
        close(fd)
    }

    /// The directory that a path is in.
    static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
