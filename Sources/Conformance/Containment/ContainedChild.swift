// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Scheduling

/// A child of this program that ran untrusted code and has ended for certain: with its process
/// group, and with the descendants that had left the group.
package struct ContainedChild: Sendable {
    /// The end of the child.
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        /// Its time was up, and it was killed.
        case timedOut
        /// The child sent more than the limit, and was killed.
        case tooMuch
        /// The process that watches it has ended before it, and it was killed.
        case unwatched
    }

    package private(set) var ending = Ending.exited(0)
    /// The lines that it sent, in order.
    package private(set) var lines: [ChildLine] = []
    /// The beginning of what it wrote to standard output and to standard error.
    package private(set) var output: [UInt8] = []
    package private(set) var errors: [UInt8] = []
    /// The number of bytes of each.
    package private(set) var outputCount = 0
    package private(set) var errorCount = 0
    /// Nanoseconds from its start to its end.
    package private(set) var duration: UInt64 = 0

    /// Nanoseconds that it has for its end once it has told that it leaves.
    static var leavingLimit: UInt64 { 5_000_000_000 }

    /// Nanoseconds in which its supervisor has killed everything.
    private static var killingLimit: UInt64 { 15_000_000_000 }

    /// Bytes that are read of what it tells, and kept of what it writes.
    private static var reportLimit: Int { 1 << 20 }
    private static var outputLimit: Int { 16 * 1_024 }

    /// The supervisors of children and their directories, which must not outlive this process.
    private struct Present {
        var supervisors: Set<pid_t> = []
        var directories: Set<String> = []
        /// The process is about to end: there will be no more of either.
        var isAbandoned = false
    }

    private static let present = Locked(Present())
    /// The children that this process had when it was started.
    private static let inherited = Set(children)

    /// Runs this program once more, with these words after its name.
    ///
    /// - Parameters:
    ///   - directory: is removed if this process ends before the child.
    ///   - variables: of its environment, in place of those that this process has.
    ///   - limit: nanoseconds until it is killed.
    ///   - observe: called for each line as it arrives.
    package init(
        _ words: [String], in directory: String? = nil, variables: [String: String] = [:],
        limit: UInt64, observe: (ChildLine) -> Void = { _ in }
    ) throws(ContainmentError) {
        // If a supervisor is killed, its descendants become children of this process.
        csys_adopt_orphans()
        _ = ContainedChild.inherited
        let mark = ContainedChild.mark()
        var pipes = Pipes()
        defer { pipes.close() }
        try pipes.open()
        let start = csys_monotonic_ns()
        var supervisor = try ContainedChild.start(words, directory, variables, pipes)
        pipes.closeChildsEnds()
        ContainedChild.send(mark, to: pipes.input.write)
        var reader = LineReader(mark: mark)
        var until = start &+ limit
        var early: Ending?
        var isOpen = [true, true, true]
        let ends = [pipes.report.read, pipes.output.read, pipes.errors.read]
        while !csys_supervisor_has_ended(&supervisor) {
            if csys_monotonic_ns() >= until { early = .timedOut }
            if reader.count > Self.reportLimit { early = .tooMuch }
            if early != nil { break }
            // A closed pipe is ready at once and for ever.
            var ready = (0..<3).map {
                pollfd(fd: isOpen[$0] ? ends[$0] : -1, events: Int16(POLLIN), revents: 0)
            }
            ready.append(pollfd(fd: supervisor.descriptor, events: Int16(POLLIN), revents: 0))
            poll(&ready, 4, supervisor.descriptor >= 0 ? 50 : 5)
            for index in 0..<3 where ready[index].revents != 0 {
                isOpen[index] = take(index, ends[index], &reader) { line in
                    if line.isLast {
                        until = min(until, csys_monotonic_ns() &+ ContainedChild.leavingLimit)
                    }
                    observe(line)
                }
            }
        }
        duration = csys_monotonic_ns() &- start
        let end = ContainedChild.end(&supervisor)
        // Reads the rest of the pipes without waiting: a process that could not be killed may hold
        // them open.
        for index in 0..<3 {
            while isOpen[index], reader.count <= Self.reportLimit, outputCount < 1 << 30,
                ContainedChild.isReady(ends[index])
            {
                isOpen[index] = take(index, ends[index], &reader, observe)
            }
        }
        if let end, end.error != 0 {
            throw ContainmentError("a child process cannot be started", errno: end.error)
        }
        ending = early ?? end.map { ContainedChild.ending(ofStatus: $0.status) } ?? .unwatched
        lines = reader.lines
    }

    /// Waits until a supervisor has killed everything, and returns what it tells; nil: it was kept from that.
    private static func end(_ supervisor: inout csys_supervisor) -> csys_supervised_end? {
        let process = supervisor.process
        stayIfAbandoned()
        csys_supervisor_stop(process)
        var end = csys_supervised_end()
        let hasTold = csys_supervisor_end(
            &supervisor, csys_monotonic_ns() &+ killingLimit, &end)
        stayIfAbandoned()
        present.withLock { present in
            present.supervisors.remove(process)
            // With the lock, so that no supervisor starts that would be taken for an orphan.
            if !hasTold { killOrphans(except: present.supervisors) }
        }
        return hasTold ? end : nil
    }

    /// <sys/wait.h>: the low seven bits are the signal, the next byte is the exit status.
    private static func ending(ofStatus status: Int32) -> Ending {
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    private static func killOrphans(except supervisors: Set<pid_t>) {
        let except = Array(supervisors.union(inherited))
        csys_kill_orphans(except, except.count)
    }

    /// Makes a child whose end is known already.
    init(_ ending: Ending, _ lines: [ChildLine] = [], output: [UInt8] = [], errors: [UInt8] = []) {
        self.ending = ending
        self.lines = lines
        self.output = output
        self.errors = errors
        outputCount = output.count
        errorCount = errors.count
    }

    /// Ends every child at once, with all that it started, and removes their directories: for code
    /// that is about to end the process. A thread that contains a child stops here.
    package static func abandonAll() {
        let (supervisors, directories) = present.withLock { present in
            present.isAbandoned = true
            return (present.supervisors, present.directories)
        }
        for supervisor in supervisors { csys_supervisor_stop(supervisor) }
        let until = csys_monotonic_ns() &+ killingLimit
        for supervisor in supervisors { csys_supervisor_await(supervisor, until) }
        if !supervisors.isEmpty { killOrphans(except: []) }
        for directory in directories { csys_remove_tree(directory) }
    }

    /// A child that ended because of ``abandonAll()`` has no result.
    private static func stayIfAbandoned() {
        if present.withLock({ $0.isAbandoned }) { stay() }
    }

    private static func stay() -> Never { while true { pause() } }

    /// An empty directory that is gone afterwards, whatever is in it.
    static func withDirectory<Result>(
        _ body: (String) throws(ContainmentError) -> Result
    ) throws(ContainmentError) -> Result {
        let named = getenv("TMPDIR").flatMap { $0[0] == CChar(UInt8(ascii: "/")) ? $0 : nil }
        // The path with links resolved, as getcwd(3) returns it.
        let real = named.flatMap { realpath($0, nil) ?? strdup($0) } ?? strdup("/tmp")
        defer { free(real) }
        guard let place = real.flatMap({ String(validatingCString: $0) }) else {
            throw ContainmentError(
                "a directory to work in cannot be made: the path in TMPDIR is not UTF-8",
                help: "TMPDIR=/tmp")
        }
        try check(place)
        let template = place.appending(component: "curfew-conform-XXXXXX")
        let made: String? = try present.withLock { present throws(ContainmentError) in
            if present.isAbandoned { return nil }
            var template = Array(template.utf8CString)
            guard mkdtemp(&template) != nil else {
                throw ContainmentError(
                    "a directory to work in cannot be made in \(place)", errno: errno)
            }
            let path = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            present.directories.insert(path)
            return path
        }
        guard let path = made else { stay() }
        defer {
            csys_remove_tree(path)
            present.withLock { _ = $0.directories.remove(path) }
        }
        return try body(path)
    }

    /// Refuses a place in which others could exchange what a host loads.
    private static func check(_ place: String) throws(ContainmentError) {
        var status = stat()
        guard stat(place, &status) == 0, status.st_mode & 0o002 != 0,
            status.st_mode & UInt32(S_ISVTX) == 0
        else { return }
        throw ContainmentError(
            "\(place), where the kit would work, can be changed by everyone, so no host loads from it",
            help: "chmod +t \(place)")
    }

    // MARK: The child

    /// The parent's ends; the numbers of the child's descriptors are fixed.
    private struct Pipes {
        var input: (read: Int32, write: Int32) = (-1, -1)
        var report: (read: Int32, write: Int32) = (-1, -1)
        var output: (read: Int32, write: Int32) = (-1, -1)
        var errors: (read: Int32, write: Int32) = (-1, -1)

        mutating func open() throws(ContainmentError) {
            func pipe() throws(ContainmentError) -> (read: Int32, write: Int32) {
                var ends: [Int32] = [-1, -1]
                guard csys_pipe(&ends) else {
                    throw ContainmentError("a pipe cannot be made", errno: errno)
                }
                return (ends[0], ends[1])
            }
            input = try pipe()
            report = try pipe()
            output = try pipe()
            errors = try pipe()
        }

        mutating func closeChildsEnds() {
            for end in [input.read, report.write, output.write, errors.write] { Glibc.close(end) }
            (input.read, report.write, output.write, errors.write) = (-1, -1, -1, -1)
        }

        func close() {
            for pipe in [input, report, output, errors] {
                for end in [pipe.read, pipe.write] where end >= 0 { Glibc.close(end) }
            }
        }
    }

    private static func mark() -> String {
        var mark = ""
        while mark.utf8.count < LogPipe.markLength {
            let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            mark += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return mark
    }

    private static func send(_ mark: String, to descriptor: Int32) {
        var mark = mark
        mark.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
    }

    private static func start(
        _ words: [String], _ directory: String?, _ changed: [String: String], _ pipes: Pipes
    ) throws(ContainmentError) -> csys_supervisor {
        // The number must be one that this process may have.
        var descriptors = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0,
            descriptors.rlim_cur > rlim_t(LogPipe.descriptor)
        else {
            throw ContainmentError(
                "a child process cannot be started: it needs descriptor \(LogPipe.descriptor), "
                    + "and this process may have too few", help: "ulimit -n 256")
        }
        // Swift's own report of a crash would come from yet another process.
        let changed = changed.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        var variables = changed.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") }
        var next = environ
        while let text = next.pointee {
            let name = String(cString: text).prefix { $0 != "=" }
            if changed[String(name)] == nil { variables.append(strdup(text)) }
            next += 1
        }
        let arguments = vector(["curfew"] + words)
        let environment = variables + [nil]
        defer { for text in arguments + environment { free(text) } }
        let streams = csys_streams(
            input: pipes.input.read, output: pipes.output.write, errors: pipes.errors.write,
            report: pipes.report.write, report_number: LogPipe.descriptor)
        let started: csys_supervisor? = try present.withLock { present throws(ContainmentError) in
            if present.isAbandoned { return nil }
            var supervisor = csys_supervisor()
            let code = csys_supervise(
                "/proc/self/exe", arguments, environment, directory, streams, &supervisor)
            guard code == 0 else {
                throw ContainmentError("a child process cannot be started", errno: code)
            }
            present.supervisors.insert(supervisor.process)
            return supervisor
        }
        guard let started else { stay() }
        return started
    }

    /// Returns a vector for exec(3); the caller frees the texts.
    private static func vector(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    private static func parent(of process: pid_t) -> pid_t? {
        let bytes = ProcessFacts.beginning(of: "/proc/\(process)/stat")
        // "pid (name) state parent …", where the name may have anything in it.
        let rest = bytes[(bytes.lastIndex(of: UInt8(ascii: ")")) ?? 0)...]
        let fields = rest.split(separator: UInt8(ascii: " "))
        return fields.count > 2 ? pid_t(String(decoding: fields[2], as: UTF8.self)) : nil
    }

    /// The processes whose parent this one is.
    static var children: [pid_t] {
        ProcessFacts.numbers(in: "/proc").map(pid_t.init).filter { parent(of: $0) == getpid() }
    }

    /// The processes that this one, a child, has started and that still run.
    package static var startedByThis: [Int32] { (children + orphans).sorted() }

    /// The running processes whose parents have ended, and which the parent of this process has adopted.
    static var orphans: [pid_t] {
        ProcessFacts.numbers(in: "/proc").map(pid_t.init).filter { number in
            number != getpid() && parent(of: number) == getppid()
                // A process that has ended has no executable file.
                && ProcessFacts.target(of: "/proc/\(number)/exe") != nil
        }
    }

    // MARK: Reading

    private static func isReady(_ descriptor: Int32) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) == 1
    }

    /// False once there is nothing more to come.
    private mutating func take(
        _ index: Int, _ descriptor: Int32, _ reader: inout LineReader,
        _ observe: (ChildLine) -> Void
    ) -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &piece, piece.count)
        guard count > 0 else { return count < 0 && errno == EINTR }
        switch index {
        case 0: reader.take(piece[..<count], observe)
        case 1:
            output += piece[..<count].prefix(Self.outputLimit - output.count)
            outputCount += count
        default:
            errors += piece[..<count].prefix(Self.outputLimit - errors.count)
            errorCount += count
        }
        return true
    }

    /// Makes lines of what comes in pieces.
    private struct LineReader {
        let mark: String
        /// Bytes of lines without the mark, and of one that does not end.
        var count: Int { foreign + rest.count }
        private var foreign = 0
        var lines: [ChildLine] = []
        private var rest: [UInt8] = []

        init(mark: String) { self.mark = mark }

        mutating func take(_ bytes: ArraySlice<UInt8>, _ observe: (ChildLine) -> Void) {
            rest += bytes
            var start = 0
            defer { rest.removeSubrange(..<start) }
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let text = String(decoding: rest[start..<end], as: UTF8.self)
                start = end + 1
                guard let line = ChildLine(text, mark: mark) else {
                    foreign += text.utf8.count + 1
                    continue
                }
                // Only the last phase is of interest, and the last of what went wrong by chance.
                if line.isPassing, lines.last?.isPassing ?? false { lines.removeLast() }
                if line.isChance, lines.count > 2_000 { lines.removeAll(where: \.isChance) }
                lines.append(line)
                observe(line)
            }
        }
    }
}
