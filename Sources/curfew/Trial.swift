// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// What loading a plugin taught, done in a child process that can be ended for good.
struct Trial {
    /// How the child ended.
    enum Ending: Equatable {
        case exited(Int32)
        case signalled(Int32)
        /// Its time was up, and it was killed.
        case timedOut
        /// It told or wrote more than is read, and was killed.
        case tooMuch
    }

    /// How long it could take, in nanoseconds.
    let limit: UInt64
    private(set) var ending = Ending.exited(0)
    private(set) var records: [TrialRecord] = []
    /// The beginning of what it wrote to standard output and standard error.
    private(set) var output: [UInt8] = []
    /// How many bytes more that was.
    private(set) var unreadOutput = 0

    /// How long loading may take unless something else is wanted, in nanoseconds.
    static var usualLimit: UInt64 { 10_000_000_000 }
    /// Bytes that are read of what it tells, and kept of what it writes.
    private static var reportLimit: Int { 1 << 20 }
    private static var outputLimit: Int { 16 * 1_024 }

    /// Loads the plugin in a directory in a child of this program.
    init(directory: String, limit: UInt64) throws(CommandError) {
        self.limit = limit
        // Whoever leaves its group or its parent comes back to this process, to be killed.
        csys_adopt_orphans()
        let others = Set(Trial.children)
        let report = try Trial.pipe()
        let written = try Trial.pipe()
        let child: pid_t
        do {
            defer {
                close(report.write)
                close(written.write)
            }
            child = try Trial.start(directory, report: report.write, output: written.write)
        }
        defer {
            close(report.read)
            close(written.read)
        }
        var told: [UInt8] = []
        let until = csys_monotonic_ns() &+ limit
        var early: Ending?
        while !Trial.hasEnded(child) {
            if csys_monotonic_ns() >= until { early = .timedOut }
            if told.count > Trial.reportLimit { early = .tooMuch }
            if early != nil { break }
            var ready = [
                pollfd(fd: report.read, events: Int16(POLLIN), revents: 0),
                pollfd(fd: written.read, events: Int16(POLLIN), revents: 0),
            ]
            // A closed pipe is ready at once and for ever.
            for index in ready.indices where isClosed[index] { ready[index].fd = -1 }
            poll(&ready, 2, 10)
            if ready[0].revents != 0 { isClosed[0] = !read(report.read, into: &told) }
            if ready[1].revents != 0 { isClosed[1] = !readOutput(written.read) }
        }
        kill(-child, SIGKILL)
        kill(child, SIGKILL)
        let status = Trial.wait(for: child)
        Trial.killAll(except: others)
        // What is left in the pipes. Nobody is waited for: one who could not be killed may hold them.
        while !isClosed[0], told.count <= Trial.reportLimit, Trial.isReady(report.read),
            read(report.read, into: &told)
        {}
        while !isClosed[1], unreadOutput < Trial.reportLimit, Trial.isReady(written.read),
            readOutput(written.read)
        {}
        ending = early ?? status
        // By scalars: a carriage return is none of these lines' ends.
        records = String(decoding: told, as: UTF8.self).unicodeScalars.split(separator: "\n")
            .compactMap { TrialRecord(line: String($0)) }
    }

    private var isClosed = [false, false]

    /// What it was at when it ended: the last thing it told.
    var phase: TrialRecord.Word? {
        records.last {
            switch $0.word {
            case .loading, .loaded, .refused, .retiring, .retired: true
            case .handler, .thread, .descriptor, .signal, .log: false
            }
        }?.word
    }

    func texts(_ word: TrialRecord.Word) -> [String] {
        records.filter { $0.word == word }.map(\.text)
    }

    // MARK: The child

    private static func pipe() throws(CommandError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard csys_pipe(&ends) else { throw failure("a pipe cannot be made", errno) }
        return (ends[0], ends[1])
    }

    private static func failure(_ what: String, _ code: Int32) -> CommandError {
        CommandError(.host, "\(what): \(String(cString: strerror(code)))")
    }

    private static func start(
        _ directory: String, report: Int32, output: Int32
    ) throws(CommandError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        // The number must be one that this process may have.
        let refusal = posix_spawn_file_actions_adddup2(&actions, report, TrialChild.descriptor)
        guard refusal == 0 else {
            throw CommandError(
                .host,
                "a child process cannot be started: it needs descriptor \(TrialChild.descriptor), "
                    + "and this process may have too few",
                notes: ["the plugin was not loaded"], help: ["ulimit -n 256"])
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        // Swift's own report of a crash would come from yet another process.
        let variables =
            Environment.all.filter { !$0.hasPrefix("SWIFT_BACKTRACE=") }
            + ["SWIFT_BACKTRACE=enable=no"]
        let words = vector(["curfew", TrialChild.name, directory])
        let environment = vector(variables)
        defer { for text in words + environment { free(text) } }
        var child: pid_t = 0
        let code = posix_spawn(
            &child, "/proc/self/exe", &actions, &attributes, words, environment)
        guard code == 0 else { throw failure("a child process cannot be started", code) }
        return child
    }

    /// As exec(3) takes them; the texts are the caller's to free.
    private static func vector(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    private static func hasEnded(_ child: pid_t) -> Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT | WNOHANG) == 0
            && information.si_signo != 0
    }

    private static func wait(for child: pid_t) -> Ending {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        // <sys/wait.h>: the low seven bits are the signal, the next byte is the exit status.
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// The processes whose parent this one is.
    private static var children: [pid_t] {
        guard let stream = opendir("/proc") else { return [] }
        defer { closedir(stream) }
        var children: [pid_t] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0[..<($0.firstIndex(of: 0) ?? $0.count)], as: UTF8.self)
            }
            guard let number = pid_t(name),
                let bytes = try? InputFile.read("/proc/\(name)/stat", limit: 4_096)
            else { continue }
            // "pid (name) state parent …", where the name may have anything in it.
            let rest = bytes[(bytes.lastIndex(of: UInt8(ascii: ")")) ?? 0)...]
            let fields = rest.split(separator: UInt8(ascii: " "))
            if fields.count > 2, pid_t(String(decoding: fields[2], as: UTF8.self)) == getpid() {
                children.append(number)
            }
        }
        return children
    }

    /// Kills what the child left behind, round by round: who is killed may have children as well.
    private static func killAll(except others: Set<pid_t>) {
        for _ in 0..<1_000 {
            let left = children.filter { !others.contains($0) }
            if left.isEmpty { return }
            for process in left {
                kill(process, SIGKILL)
                _ = wait(for: process)
            }
        }
    }

    // MARK: Reading

    private static func isReady(_ descriptor: Int32) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) == 1
    }

    /// False once there is nothing more to come.
    private func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &piece, piece.count)
        if count > 0 { bytes += piece[..<count] }
        return count > 0 || (count < 0 && errno == EINTR)
    }

    private mutating func readOutput(_ descriptor: Int32) -> Bool {
        var piece: [UInt8] = []
        let goesOn = read(descriptor, into: &piece)
        let room = Trial.outputLimit - output.count
        output += piece.prefix(room)
        unreadOutput += max(0, piece.count - room)
        return goesOn
    }
}
