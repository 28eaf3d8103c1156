// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Dispatch
import Glibc
import Scheduling

/// What a test tells a harness to do, one order a line of standard input. Each is answered by a
/// record: its own, or `did` with the order's name.
final class Service: @unchecked Sendable {
    // Sendable: the main thread's, but for what is constant.

    private let work: Work
    private let host: Host
    private var ids: [String: RequestID] = [:]
    private var hogged: [Int32] = []

    init(_ work: Work, _ host: Host) {
        self.work = work
        self.host = host
    }

    /// Returns at the end of the input, or with the order `stop`.
    func run() {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard let order = words.first, order != "stop" else { return }
            do {
                try obey(order, words)
            } catch {
                let error = error as! CurfewError
                History.put("error", error.code.constant ?? "", error.message)
            }
        }
    }

    private func obey(_ order: String, _ words: [String]) throws {
        switch order {
        case "submit": ids[words[2]] = work.submit(words[1], words[2])
        // By its key, or by its number, with its key after it.
        case "cancel": work.cancel(try id(words[1]), words.last!)
        case "state":
            let request = try host.request(try id(words[1]))
            History.put(
                "state", words[1], request?.state.name ?? "none", request?.outcome?.name ?? "",
                "\(request?.launches ?? 0)",
                "\((request?.notBefore ?? 0) / 1_000_000_000)",
                "\(host.runtime.requests.moment.wall / 1_000_000_000)")
            return
        case "await":
            try work.awaitEnd()
            History.put("ended")
            return
        case "open": work.gate.signal()
        case "pause":
            try host.pause()
            // A turn that had begun before may launch yet; this is done in one after it.
            _ = try host.requests(limit: 1)
        case "resume": try host.resume()
        case "fill": fill(words[1], leaving: Int(words[2]) ?? 0)
        case "remove": unlink(words[1])
        case "hog": hog()
        case "free":
            for fd in hogged { close(fd) }
            hogged.removeAll()
        case "fork": forkAndUse()
        case "memory":
            History.put("memory", "\(kibibytes("VmRSS:"))", "\(kibibytes("VmHWM:"))")
            return
        case "time":
            let first = words.count > 2 ? Int(words[2]) ?? 0 : 0
            try measure(first..<first + (Int(words[1]) ?? 0))
            return
        default: History.put("unknown", order)
        }
        History.put("did", order)
    }

    private func id(_ key: String) throws -> RequestID {
        if let id = ids[key] { return id }
        return RequestID(rawValue: UInt64(key) ?? 0)
    }

    // MARK: Starving

    /// Makes a file that leaves so many bytes of its disk, rounded to pages.
    private func fill(_ path: String, leaving bytes: Int) {
        let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard fd >= 0 else { return }
        defer { close(fd) }
        let page = [UInt8](repeating: 7, count: 4_096)
        var size = 0
        while true {
            let written = write(fd, page, page.count)
            if written <= 0 { break }
            size += written
        }
        ftruncate(fd, off_t(max(0, size - bytes)))
    }

    /// Opens descriptors until there are no more.
    private func hog() {
        while true {
            let fd = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard fd >= 0 else { return }
            hogged.append(fd)
        }
    }

    // MARK: A child

    /// What a child gets that uses its parent's host, which has no thread there.
    private func forkAndUse() {
        // Swift says that there is none.
        guard let symbol = dlsym(nil, "fork") else { return }
        let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        let child = fork()
        guard child == 0 else {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            History.put("child-ended", "\(status)")
            return
        }
        // Ends the child where it waits for ever.
        alarm(10)
        work.submit("quick", "child")
        _exit(0)
    }

    // MARK: Measuring

    private func kibibytes(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix(name) else { continue }
            return text.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
                .flatMap { Int($0) } ?? 0
        }
        return 0
    }

    /// Submits so many, one after the other, and tells the median, the 99th percentile and the
    /// longest, in nanoseconds.
    private func measure(_ numbers: Range<Int>) throws {
        let count = numbers.count
        var times: [UInt64] = []
        for number in numbers {
            var description = RequestDescription(Work.prefix + "quick", kind: .processing)
            description.onPending = .add
            description.key = "timed.\(number)"
            let began = csys_monotonic_ns()
            _ = try host.submit(description, payload: Array("timed.\(number)".utf8))
            times.append(csys_monotonic_ns() - began)
        }
        times.sort()
        History.put(
            "timed", "\(times[count / 2])", "\(times[count * 99 / 100])", "\(times[count - 1])")
    }
}
