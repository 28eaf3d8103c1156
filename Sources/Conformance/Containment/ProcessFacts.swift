// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// The threads, descriptors and signals of this process at one moment, to detect what a plugin
/// added.
package struct ProcessFacts: Sendable {
    /// Names by number.
    package let threads: [Int: String]
    /// The targets of the descriptors, by number.
    package let descriptors: [Int: String]
    /// The signals that are handled or ignored.
    package let signals: Set<Int32>

    package init() {
        threads = Dictionary(
            ProcessFacts.numbers(in: "/proc/self/task").map {
                ($0, ProcessFacts.firstLine(of: "/proc/self/task/\($0)/comm"))
            }, uniquingKeysWith: { $1 })
        descriptors = ProcessFacts.lasting(within: 10_000_000) { ProcessFacts.openDescriptors }
        signals = Set(
            (1..<65).filter { number in
                var action = sigaction()
                return sigaction(number, nil, &action) == 0
                    && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 0
            })
    }

    /// Descriptors at this moment, and what they lead to.
    package static var openDescriptors: [Int: String] {
        Dictionary(
            numbers(in: "/proc/self/fd").compactMap { number in
                target(of: "/proc/self/fd/\(number)").map { (number, $0) }
            }, uniquingKeysWith: { $1 })
    }

    /// Returns the descriptors that `look` finds every time, with their targets. Repeats until none
    /// is left, or the time is over, in nanoseconds.
    ///
    /// The C library opens files of the kernel's for a moment: glibc reads
    /// /proc/sys/vm/overcommit_memory when a thread gives back memory of its arena
    /// (shrink_heap in malloc/arena.c).
    package static func lasting(
        within limit: UInt64 = 1_000_000_000, _ look: () -> [Int: String]
    ) -> [Int: String] {
        let until = csys_monotonic_ns() &+ limit
        var found = look()
        var word: UInt32 = 0
        while !found.isEmpty, csys_monotonic_ns() < until {
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 5_000_000)
            let again = look()
            found = found.filter { again[$0.key] == $0.value }
        }
        return found
    }

    /// Returns the resident memory, as the kernel counts it.
    static var residentBytes: UInt64 { bytes(ofField: 1) }

    /// Returns the size of the address space.
    static var mappedBytes: UInt64 { bytes(ofField: 0) }

    private static func bytes(ofField field: Int) -> UInt64 {
        let fields = String(decoding: beginning(of: "/proc/self/statm"), as: UTF8.self)
            .split(separator: " ")
        return (fields.count > field ? UInt64(fields[field]) ?? 0 : 0)
            * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The names of a directory's entries that are numbers.
    static func numbers(in path: String) -> [Int] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        let own = Int(dirfd(stream))
        var numbers: [Int] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0[..<($0.firstIndex(of: 0) ?? $0.count)], as: UTF8.self)
            }
            if let number = Int(name), path.hasSuffix("task") || number != own {
                numbers.append(number)
            }
        }
        return numbers
    }

    package static func target(of path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    private static func firstLine(of path: String) -> String {
        String(decoding: beginning(of: path).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The first 4 KiB of a file of the kernel's; nothing where it is gone.
    static func beginning(of path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// A whole file of the kernel's; nothing where it is gone.
    static func contents(of path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }

    /// `SIGTERM`, or the number of one without a name of its own.
    package static func name(ofSignal number: Int32) -> String {
        let names: [Int32: String] = [
            SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL",
            SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
            SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1", SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2",
            SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGCHLD: "SIGCHLD",
            SIGCONT: "SIGCONT", SIGSTOP: "SIGSTOP", SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN",
            SIGTTOU: "SIGTTOU", SIGURG: "SIGURG", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ",
            SIGVTALRM: "SIGVTALRM", SIGPROF: "SIGPROF", SIGWINCH: "SIGWINCH", SIGIO: "SIGIO",
            SIGPWR: "SIGPWR", SIGSYS: "SIGSYS",
        ]
        return names[number] ?? "signal \(number)"
    }
}
