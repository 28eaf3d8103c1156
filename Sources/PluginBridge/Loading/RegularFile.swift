// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file that is read as a whole, up to a limit; anything but a regular file is refused.
enum RegularFile {
    struct Problem: Error {
        /// The fault, worded to follow `the manifest` or another name of the file.
        let text: String
        /// Whether the path exists but is no regular file.
        let isOfAnotherKind: Bool
    }

    /// The flags for opening: a named pipe must not block the host.
    static var flags: Int32 { O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC }

    /// Reads one byte more than `limit` at most, so that a file that is too large, or grows
    /// meanwhile, is noticed by the limit of who reads the bytes.
    static func contents(of file: Int32, limit: Int) throws(Problem) -> [UInt8] {
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw Problem(text: "cannot look at it: \(reason(errno))", isOfAnotherKind: false)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Problem(text: "is not a regular file", isOfAnotherKind: true)
        }
        let most = limit + 1
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            while count < most {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let got = Glibc.read(file, rest.baseAddress, rest.count)
                if got > 0 {
                    count += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else {
            throw Problem(text: "cannot read it: \(reason(failure))", isOfAnotherKind: false)
        }
        return bytes
    }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
