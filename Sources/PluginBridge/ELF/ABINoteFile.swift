// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A library opened for reading single pieces of it; closed with the value.
struct ABINoteFile: ~Copyable {
    private let descriptor: Int32
    /// In bytes, when it was opened.
    let size: UInt64

    init(path: String) throws(ABINoteFault) {
        guard !path.utf8.contains(0) else {
            throw .cannotOpen("the path has a zero byte in it")
        }
        // Not blocking: a pipe under that name must not hold up the host.
        let opened = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard opened >= 0 else { throw .cannotOpen(String(cString: strerror(errno))) }
        try self.init(owning: opened)
    }

    /// The same of a file that is open already; the descriptor stays the caller's.
    init(descriptor: Int32) throws(ABINoteFault) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw .cannotOpen(String(cString: strerror(errno))) }
        try self.init(owning: own)
    }

    private init(owning opened: Int32) throws(ABINoteFault) {
        var status = stat()
        guard fstat(opened, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            close(opened)
            throw .cannotOpen(reason)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw .cannotOpen("not a regular file")
        }
        descriptor = opened
        size = UInt64(clamping: status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads exactly that many bytes, or says that the file has none there.
    func bytes(at offset: UInt64, count: Int) throws(ABINoteFault) -> [UInt8] {
        let (end, overflow) = offset.addingReportingOverflow(UInt64(count))
        guard !overflow, end <= size else {
            throw .malformed("it points past its own end")
        }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            while done < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: raw[done...])
                // `end` is within the size of a file, so the place fits in an off_t.
                let got = pread(descriptor, rest.baseAddress, rest.count, Int(offset) + done)
                if got > 0 {
                    done += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw .cannotOpen(String(cString: strerror(failure))) }
        guard bytes.count == count else { throw .malformed("it became shorter while it was read") }
        return bytes
    }
}
