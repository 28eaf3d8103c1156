// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A library of which single pieces are read: a file, closed with the value if it is its own, or the
/// bytes of one in memory.
package struct ABINoteFile: ~Copyable {
    private let descriptor: Int32
    private let isOwned: Bool
    /// In place of the descriptor.
    private let memory: UnsafeRawPointer?
    /// In bytes, when it was opened.
    package let size: UInt64

    init(path: String) throws(ABINoteFault) {
        guard !path.utf8.contains(0) else {
            throw .cannotOpen("the path has a zero byte in it")
        }
        // Not blocking: a pipe under that name must not hold up the host.
        let opened = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard opened >= 0 else { throw .cannotOpen(String(cString: strerror(errno))) }
        try self.init(owning: opened)
    }

    /// A regular file that is open already, and how large it is; the descriptor stays the caller's.
    init(descriptor: Int32, size: UInt64) {
        self.descriptor = descriptor
        self.size = size
        isOwned = false
        memory = nil
    }

    /// Bytes that stay the caller's, and must stay where they are.
    init(_ bytes: UnsafeRawBufferPointer) {
        descriptor = -1
        size = UInt64(bytes.count)
        isOwned = false
        memory = bytes.baseAddress
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
        isOwned = true
        memory = nil
        size = UInt64(clamping: status.st_size)
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Reads exactly that many bytes, or says that the file has none there.
    package func bytes(at offset: UInt64, count: Int) throws(ABINoteFault) -> [UInt8] {
        let (end, overflow) = offset.addingReportingOverflow(UInt64(count))
        guard !overflow, end <= size else {
            throw .malformed("it points past its own end")
        }
        if let memory {
            return [UInt8](
                UnsafeRawBufferPointer(start: memory + Int(offset), count: count))
        }
        return try read(at: offset, count: count)
    }

    /// Reads bytes of the file at a checked place.
    private func read(at offset: UInt64, count: Int) throws(ABINoteFault) -> [UInt8] {
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
