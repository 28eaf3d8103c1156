// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc

/// The log pipe of a contained child: lines with a mark that its parent gave it.
///
/// A plugin runs in the child and can write to the same descriptor; without the mark nothing is
/// believed.
package final class LogPipe: Sendable {
    /// The descriptor of the pipe: far from the numbers that a plugin might close or reuse.
    static var descriptor: Int32 { 63 }
    /// The length of a mark, in bytes.
    static var markLength: Int { 32 }

    /// The exit status of a child whose log pipe was closed.
    package static var closedStatus: Int32 { 22 }

    private let mark: String
    private let writing = Locked<Void>(())
    /// The device and the number of what the descriptor leads to.
    private let channel = LogPipe.file

    /// Takes the mark from standard input, which leads nowhere afterwards. Nil where no parent gave
    /// one. The calling process dies with its parent, and without a core file.
    package init?() {
        guard fcntl(Self.descriptor, F_GETFD) != -1 else { return nil }
        csys_die_with_parent()
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64)
        while bytes.count < Self.markLength {
            let count = read(0, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
        mark = String(decoding: bytes.prefix(Self.markLength), as: UTF8.self)
        let nowhere = open("/dev/null", O_RDONLY)
        if nowhere > 0 {
            dup2(nowhere, 0)
            close(nowhere)
        }
        // core(5): files that may not have a page are not written, and with 1 no program is asked
        // either. Where it is not 0, a plugin that sets it to 0 is seen.
        var least = rlimit(rlim_cur: 1, rlim_max: 1)
        if setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &least) != 0 {
            least = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &least)
        }
        _ = fcntl(Self.descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// A log pipe without a reader, for a case that runs in the process of the kit itself.
    init(withoutReader: Void) { mark = "" }

    private static var file: [UInt64] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return [] }
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }

    /// A copy that a plugin makes of the process with fork(2) is not the child that was started.
    var isRead: Bool { !mark.isEmpty && getpid() == process }

    private let process = getpid()

    /// Has a crash send its place in the plugin's library, as a line with that word, and before it the place in
    /// another library that this one has called, with another word.
    func tellsCrashes(_ word: String, inside inner: String, in library: String) {
        guard isRead else { return }
        csys_tell_crash_place(
            Self.descriptor, "\(mark) \(word) ", "\(mark) \(inner) ", library)
    }

    /// Sends a word and a text as one line. Does nothing if the reader is gone. If the plugin
    /// closed the descriptor, ends the process with a status that says so.
    package func send(_ word: String, _ text: String = "") {
        guard isRead else { return }
        var line = ChildLine.written(word, text, mark: mark)
        writing.withLock { _ in
            guard Self.file == channel else { _exit(Self.closedStatus) }
            line.withUTF8 { bytes in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = write(Self.descriptor, rest.baseAddress, rest.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        }
    }
}
