// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import TestSupport

/// A harness that runs: its history as it comes, and the means to stop it.
final class RunningHarness {
    /// Nothing came that was waited for.
    struct TimedOut: Error, CustomStringConvertible {
        let what: String
        let records: [Record]
        var description: String { "no \(what) came; the last records: \(records.suffix(12))" }
    }

    /// There is no such program, or no room for it.
    struct NotStarted: Error {
        let code: Int32
    }

    /// Longer than anything takes on a busy machine.
    static let timeout = Duration.seconds(60)

    /// Its process, or that of the shell it was started by.
    let process: pid_t
    private(set) var records: [Record] = []
    /// From the start of the process to its record `ready`; nil: there was none.
    private(set) var startUp: Duration?
    private let began = ContinuousClock.now
    private var output: Int32
    private var input: Int32
    private var rest: [UInt8] = []
    private var isAtEnd = false
    private var ending: ChildProcess.Ending?
    private var next = 0

    /// Starts a harness; `wrapper` is what comes before its path.
    init(
        _ arguments: [String], wrapper: [String] = [], environment: [String: String] = [:]
    ) throws {
        let program = BuiltProducts.path(ofProduct: "request-harness")
        let words = wrapper + [program] + arguments
        var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard csys_pipe(&toChild), csys_pipe(&fromChild) else {
            throw NotStarted(code: errno)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        let (child, code) = ProcessGroup.spawn(
            words,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            &actions)
        close(toChild[0])
        close(fromChild[1])
        (input, output) = (toChild[1], fromChild[0])
        process = child
        guard code == 0 else {
            close(input)
            close(output)
            (input, output) = (-1, -1)
            ending = .exited(127)
            throw NotStarted(code: code)
        }
    }

    deinit {
        signal(SIGKILL)
        if ending == nil { _ = reap() }
        if input >= 0 { close(input) }
        if output >= 0 { close(output) }
    }

    /// The harness' own process, as it says itself.
    var harnessProcess: pid_t {
        records.first { $0.kind == "ready" }.flatMap { pid_t($0[1]) } ?? process
    }

    // MARK: Orders

    /// Sends a signal to it and all that it was started by.
    func signal(_ number: Int32) {
        guard ending == nil else { return }
        kill(-process, number)
    }

    /// Tells it something. What it answers is to be waited for.
    func order(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    }

    /// Tells it something, and waits for the record `did`.
    func perform(_ line: String) throws {
        order(line)
        let name = String(line.prefix { $0 != " " })
        try wait(for: "did") { $0[0] == name }
    }

    // MARK: History

    /// Waits for a record that was not waited for yet, and returns it.
    @discardableResult
    func wait(
        for kind: String, within limit: Duration = timeout,
        _ isIt: (Record) -> Bool = { _ in true }
    ) throws -> Record { try wait(for: [kind], within: limit, isIt) }

    /// The same for a record of one of several kinds.
    @discardableResult
    func wait(
        for kinds: Set<String>, within limit: Duration = timeout,
        _ isIt: (Record) -> Bool = { _ in true }
    ) throws -> Record {
        let until = ContinuousClock.now + limit
        while true {
            while next < records.count {
                let record = records[next]
                next += 1
                if kinds.contains(record.kind), isIt(record) { return record }
            }
            guard read(until: until) else {
                throw TimedOut(what: kinds.sorted().joined(separator: " or "), records: records)
            }
        }
    }

    /// Returns the first record about a key, which may have come before.
    func record(of kind: String, about key: String) throws -> Record {
        let isIt = { (record: Record) in record.kind == kind && record[0] == key }
        return try records.first(where: isIt) ?? wait(for: kind, isIt)
    }

    /// Takes in what there is. It is not waited for any more.
    func skip() {
        follow(until: .now + .milliseconds(1))
        next = records.count
    }

    /// Returns once the task of a request was told to be done, now or before.
    func waitForEnd(of key: String) throws {
        let isIt = { (record: Record) in record.kind == "done" && record[0] == key }
        guard !records.contains(where: isIt) else { return }
        try wait(for: "done", isIt)
    }

    /// Reads what comes during a time. False: something did.
    func isSilent(for time: Duration) -> Bool {
        let before = records.count
        let until = ContinuousClock.now + time
        while read(until: until) {}
        return records.count == before
    }

    /// Reads until a moment that is to come, or until the harness is over.
    func follow(until moment: ContinuousClock.Instant) { while read(until: moment) {} }

    /// Waits until it is over, and returns how it ended; kills it when its time is up.
    func finish(within limit: Duration = timeout) -> ChildProcess.Ending {
        if let ending { return ending }
        close(input)
        input = -1
        let until = ContinuousClock.now + limit
        while read(until: until) {}
        guard !isAtEnd else { return reap() }
        signal(SIGKILL)
        _ = reap()
        ending = .timedOut
        return .timedOut
    }

    /// Takes in what there is. False: nothing more came until then, or comes any more.
    private func read(until: ContinuousClock.Instant) -> Bool {
        guard !isAtEnd else { return false }
        let left = until - ContinuousClock.now
        guard left > .zero else { return false }
        let (seconds, attoseconds) = left.components
        var waited = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
        guard poll(&waited, 1, Int32(clamping: milliseconds)) > 0 else {
            return until > ContinuousClock.now
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(output, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { return true }
        guard count > 0 else {
            isAtEnd = true
            return false
        }
        rest += bytes.prefix(count)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let record = Record(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
            if record.kind == "ready" { startUp = ContinuousClock.now - began }
            records.append(record)
        }
        return true
    }

    private func reap() -> ChildProcess.Ending {
        let ending = ProcessGroup.reap(process)
        // Nothing of it stays, even where it was started by a shell.
        if self.ending == nil { kill(-process, SIGKILL) }
        self.ending = ending
        return ending
    }
}
