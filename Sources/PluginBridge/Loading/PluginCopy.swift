// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// The host's own copy of a plugin's library: what is checked, and what is loaded.
///
/// The file is read once, into sealed memory, which no process can write, truncate or extend. Later
/// changes of the file have no effect: neither between the checks and the loading, nor afterwards,
/// when overwriting a mapped file would remove pages of running code (SIGBUS).
///
/// Tools such as valgrind and perf read code from files only. For them the environment variable
/// `CURFEW_PLUGIN_COPIES` names a directory for the copies, which are never removed. A directory
/// that other users may change is not used, and a program with more rights than its caller ignores
/// the variable.
final class PluginCopy: @unchecked Sendable {
    // Sendable: only the loading thread releases `descriptor`; the rest is constant.

    /// The maximum number of bytes of a library.
    static var sizeLimit: Int { 1 << 30 }
    private static var pieceSize: Int { 1 << 18 }
    static var directoryVariable: String { "CURFEW_PLUGIN_COPIES" }

    /// The path of the file, for messages.
    let shown: String
    let bytes: UnsafeRawBufferPointer
    /// The path of the copy, where it is a file that stays.
    let path: String?
    private var descriptor: OwnedDescriptor?
    /// Its file stays when this goes.
    private var isKept = false

    /// Reads a file whose owner and mode have been checked, and which was like `status` then.
    init(
        of file: OwnedDescriptor, _ status: stat, name: String, shown: String
    ) throws(BridgeError) {
        self.shown = shown
        let size = try PluginCopy.size(status, shown)
        let held = csys_hold_file_size_signal()
        defer { csys_release_file_size_signal(held) }
        let (place, path) = try PluginCopy.place(for: name, shown, size: size)
        // A copy that is not to be had does not stay either: `deinit` is not called for it.
        var isMade = false
        defer { if let path, !isMade { unlink(path) } }
        var isWhole = false
        // If another process is writing the file, wait for it to finish.
        for attempt in 0..<4 where !isWhole {
            let before = attempt == 0 ? status : try PluginCopy.begin(place, again: file, shown)
            isWhole = try PluginCopy.fill(place, from: file, before, size, shown)
        }
        guard isWhole else {
            throw BridgeError(
                .unstable,
                "\(shown) changes while it is read; install a library by renaming a complete file, and load it then"
            )
        }
        if path == nil {
            let failure = csys_seal(place.number)
            guard failure == 0 else { throw PluginCopy.failed(shown, failure) }
        }
        guard let address = csys_map_file(place.number, UInt64(size)) else {
            throw PluginCopy.failed(shown, errno)
        }
        bytes = UnsafeRawBufferPointer(start: address, count: size)
        self.path = path
        descriptor = place
        isMade = true
    }

    /// Adopts a copy that another process has made and sealed.
    init(adopting file: OwnedDescriptor, shown: String) throws(BridgeError) {
        guard let status = file.status else { throw PluginCopy.failed(shown, errno) }
        let size = Int(status.st_size)
        guard let address = csys_map_file(file.number, UInt64(size)) else {
            throw PluginCopy.failed(shown, errno)
        }
        bytes = UnsafeRawBufferPointer(start: address, count: size)
        self.shown = shown
        path = nil
        descriptor = file
    }

    deinit {
        csys_unmap_file(bytes.baseAddress, UInt64(bytes.count))
        if let path, !isKept { unlink(path) }
    }

    /// It was loaded: tools read it from its file.
    func keep() { isKept = true }

    /// The descriptor of the copy, while it is open.
    var number: Int32 { descriptor?.number ?? -1 }

    /// The directory in which the loader sees the copy.
    var directory: String { path.map(PathText.directory) ?? "/proc/\(getpid())/fd" }

    /// Closes the descriptor; the bytes stay.
    func letGo() { descriptor = nil }

    /// Takes the bytes out of this process' memory until they are read again.
    func rest() { csys_forget_file_pages(bytes.baseAddress, UInt64(bytes.count)) }

    func hasSameBytes(as other: PluginCopy) -> Bool {
        bytes.count == other.bytes.count
            && memcmp(bytes.baseAddress!, other.bytes.baseAddress!, bytes.count) == 0
    }

    // MARK: Making one

    private static func place(
        for name: String, _ shown: String, size: Int
    ) throws(BridgeError) -> (OwnedDescriptor, path: String?) {
        if let directory = csys_trusted_environment(directoryVariable), directory[0] != 0 {
            let path = UnsafeRawBufferPointer(start: directory, count: strlen(directory))
            guard let path = String(validating: path, as: UTF8.self) else {
                throw BridgeError(
                    .copy, .system,
                    "no copy of \(shown) can be made in the directory that \(directoryVariable) names: its path is not UTF-8; name another one"
                )
            }
            return try filePlace(for: name, in: path)
        }
        // The name is what /proc/PID/maps shows; the kernel takes 249 bytes of it.
        let label = String(decoding: name.utf8.prefix(200), as: UTF8.self)
        guard let made = OwnedDescriptor(csys_memory_file(label, UInt64(size))) else {
            throw failed(shown, errno)
        }
        return (made, nil)
    }

    private static func filePlace(
        for name: String, in directory: String
    ) throws(BridgeError) -> (OwnedDescriptor, path: String?) {
        let folder: PluginDirectory
        do throws(BridgeError) {
            folder = try PluginDirectory(directory)
        } catch {
            throw BridgeError(
                .copy, .system,
                "no copy can be made in the directory that \(directoryVariable) names: \(error.message)"
            )
        }
        let label = String(decoding: name.utf8.prefix(200), as: UTF8.self)
        var template = Array("\(folder.path)/\(label)-XXXXXX".utf8CString)
        guard let made = OwnedDescriptor(csys_make_file(&template)) else {
            throw BridgeError(
                .copy, .system,
                "no copy can be made in \(directory), which \(directoryVariable) names: \(PluginDirectory.reason(errno))"
            )
        }
        _ = fchmod(made.number, 0o500)
        let path = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return (made, String(decoding: path, as: UTF8.self))
    }

    /// Empties the copy, and reads the file's status again.
    private static func begin(
        _ place: OwnedDescriptor, again file: OwnedDescriptor, _ shown: String
    ) throws(BridgeError) -> stat {
        guard let status = file.status, ftruncate(place.number, 0) == 0 else {
            throw failed(shown, errno)
        }
        return status
    }

    /// Copies the file, which was like `before`. Returns false when it changed meanwhile.
    ///
    /// Writing to a file changes its modification time, once the kernel's clock has advanced past
    /// the last change. Without a usable clock, the file is read twice.
    private static func fill(
        _ place: OwnedDescriptor, from file: OwnedDescriptor, _ before: stat, _ size: Int,
        _ shown: String
    ) throws(BridgeError) -> Bool {
        let isPast = csys_wait_past(Int64(before.st_mtim.tv_sec), Int64(before.st_mtim.tv_nsec))
        var done = 0
        var failure: Int32 = 0
        // Written and not stored to: where memory is short, a store would end the process. What is
        // longer than it was gives itself away by its size, below.
        withUnsafeTemporaryAllocation(byteCount: min(size, pieceSize), alignment: 16) { buffer in
            while done < size, failure == 0 {
                let got = pread(
                    file.number, buffer.baseAddress, min(buffer.count, size - done), done)
                if got == 0 { return }
                guard got > 0 else {
                    if errno == EINTR { continue }
                    failure = errno
                    return
                }
                var written = 0
                while written < got, failure == 0 {
                    let put = pwrite(
                        place.number, buffer.baseAddress! + written, got - written, done + written)
                    if put > 0 { written += put } else if errno != EINTR { failure = errno }
                }
                done += got
            }
        }
        guard failure == 0 else { throw failed(shown, failure) }
        guard done == size, let after = file.status, after.st_size == before.st_size,
            isSame(before.st_mtim, after.st_mtim)
        else { return false }
        // Another time of change: it was renamed or linked meanwhile, or its time was turned back.
        return isPast && isSame(before.st_ctim, after.st_ctim) || isSame(file, place, size)
    }

    private static func isSame(_ a: timespec, _ b: timespec) -> Bool {
        a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec
    }

    /// Whether a file has the same bytes as its copy when it is read once more.
    private static func isSame(_ file: OwnedDescriptor, _ copy: OwnedDescriptor, _ size: Int)
        -> Bool
    {
        withUnsafeTemporaryAllocation(byteCount: 2 * pieceSize, alignment: 16) { buffer in
            let (first, second) = (buffer.baseAddress!, buffer.baseAddress! + pieceSize)
            var done = 0
            while true {
                let got = pread(file.number, first, pieceSize, done)
                if got < 0, errno == EINTR { continue }
                if got == 0 { return done == size }
                guard got > 0, got <= size - done, pread(copy.number, second, got, done) == got,
                    memcmp(first, second, got) == 0
                else { return false }
                done += got
            }
        }
    }

    private static func failed(_ shown: String, _ code: Int32) -> BridgeError {
        let help =
            switch code {
            case EFBIG: "raise the limit of file sizes (ulimit -f)"
            case EACCES, EPERM, ENOSYS:
                "files in memory are not allowed here (sysctl vm.memfd_noexec, or a filter of system calls): name a directory for the copies in \(directoryVariable)"
            case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
            default: "free some memory"
            }
        return BridgeError(
            .copy, .system,
            "\(shown) cannot be copied into memory: \(PluginDirectory.reason(code)); \(help)")
    }
}

extension PluginCopy {
    /// The size of a library's file, when it can be one.
    private static func size(_ status: stat, _ shown: String) throws(BridgeError) -> Int {
        let size = status.st_size
        guard size > 0 else {
            throw BridgeError(
                .note, "\(shown): \(ABINoteFault.notELF.message); \(ABINoteFault.notELF.help)")
        }
        guard size <= sizeLimit else {
            throw BridgeError(
                .file,
                "\(shown) has \(size) bytes, the limit is \(sizeLimit); strip the library, or link less into it"
            )
        }
        return size
    }
}
