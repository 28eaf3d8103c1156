// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
package import Scheduling

/// The kit at work on one plugin: each case in a child process of its own, which is ended for good.
package struct KitRun: Sendable {
    package let subject: Subject
    package let cases: [ConformanceCase]
    /// The runtime of ThreadSanitizer that the library is linked with; nil without.
    private let raceDetector: String?
    /// The seed of all random choices.
    package let seed: UInt64
    /// Whether only the trial with the seed is repeated.
    package var isReproducing = false
    /// Whether the case runs in this process, for a debugger: a crash then ends the kit.
    package var isInProcess = false
    /// Where the plugin's code runs: a case is run in each of them where it can be, and at least once.
    package var isolations: [Isolation] = [.thread]

    /// Nanoseconds for all cases, or about as many; nil: as many as they need.
    package var time: UInt64?

    /// The number of cases at a time.
    private var width: Int { isInProcess ? 1 : min(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    package init(_ subject: Subject, _ cases: [ConformanceCase], seed: UInt64) {
        self.subject = subject
        raceDetector = subject.raceDetector
        self.cases = cases
        self.seed = seed
    }

    /// Runs the cases, two at a time where the machine has two processors.
    ///
    /// - Parameters:
    ///   - begins: called when the results of all before a case are known.
    ///   - ends: called with the result of each, in their order.
    package func go(
        begins: (ConformanceCase) -> Void = { _ in }, ends: (CaseResult) -> Void
    ) throws(ContainmentError) {
        try Self.checkRoom()
        var broken: Set<String> = []
        var clock = Clock(time: time, count: count, width: width)
        for (number, isolation) in isolations.enumerated() {
            // A broken file is broken for both; what the code does may differ.
            broken = broken.filter { ConformanceCase.named($0)?.runsCode == false }
            try go(
                in: isolation, number == 0 ? cases : again(in: isolation), &broken, &clock,
                begins: begins, ends: ends)
        }
    }

    /// The threads that cases may have at a time, and some to spare.
    private static let threadRoom: UInt32 = 48

    /// Refuses to work where what the machine does not give would be taken for the plugin's fault.
    private static func checkRoom() throws(ContainmentError) {
        let threads = csys_threads_at_a_time(threadRoom)
        guard threads < threadRoom else { return }
        throw ContainmentError(
            "no more than \(threads) threads can be started here, and the cases need \(threadRoom): this user's processes have a limit (ulimit -u), or those of its group have (pids.max)",
            help: "ulimit -u 1024")
    }

    /// The cases that are run a second time, in another isolation.
    private func again(in isolation: Isolation) -> [ConformanceCase] {
        cases.filter { $0.runsCode && reasonToSkip($0, in: isolation) == nil }
    }

    private func reasonToSkip(_ tested: ConformanceCase, in isolation: Isolation) -> String? {
        if let reason = tested.reasonToSkip(in: isolation) { return reason }
        guard isolation == .process, tested.runsCode, raceDetector != nil else {
            return nil
        }
        return "code that is compiled with -fsanitize=thread is looked at in threads"
    }

    /// The number of results.
    package var count: Int {
        cases.count + isolations.dropFirst().reduce(0) { $0 + again(in: $1).count }
    }

    /// Shares out the time among the cases that are left.
    private struct Clock {
        private let end: UInt64?
        private var count: Int
        private let width: Int

        init(time: UInt64?, count: Int, width: Int) {
            end = time.map { csys_monotonic_ns() &+ $0 }
            self.count = count
            self.width = width
        }

        /// Returns the nanoseconds of the next case: twice an equal share, since most take less; 0: as
        /// many as it needs. Nil if there are none left.
        mutating func next() -> UInt64? {
            defer { count -= 1 }
            guard let end else { return 0 }
            let now = csys_monotonic_ns()
            guard now < end else { return nil }
            return max(1, 2 * UInt64(width) * (end - now) / UInt64(max(1, count)))
        }
    }

    private func go(
        in isolation: Isolation, _ cases: [ConformanceCase], _ broken: inout Set<String>,
        _ clock: inout Clock, begins: (ConformanceCase) -> Void, ends: (CaseResult) -> Void
    ) throws(ContainmentError) {
        var pace: UInt64 = 0
        var queue = CaseQueue(cases, width: width)
        var begun: Set<Int> = []
        var results = [CaseResult?](repeating: nil, count: cases.count)
        var next = 0
        if let first = cases.first { begins(first) }
        func take(_ index: Int, _ result: CaseResult) {
            guard queue.end(index, result.verdict.status) else { return }
            results[index] = result
            results[index]?.isolation = isolation
            if result.verdict.status.isFailure || result.needed != nil {
                broken.insert(result.tested.name)
            }
            while next < cases.count, let result = results[next] {
                ends(result)
                next += 1
                if next < cases.count { begins(cases[next]) }
            }
        }
        let running = RunningCases()
        while !queue.isOver {
            while let index = queue.next() {
                let tested = cases[index]
                // A fault that was found is looked at again, even if the time is used up.
                let isFirst = begun.insert(index).inserted
                let share = isFirst ? clock.next() : time == nil ? 0 : 1
                if let skipped = skipped(tested, isolation, broken, isLate: share == nil) {
                    take(index, skipped)
                } else if isInProcess {
                    take(index, try inProcess(tested, isolation))
                } else {
                    let known = pace
                    try running.start(index) { () throws(ContainmentError) in
                        try inChild(tested, isolation, share ?? 0, known)
                    }
                }
            }
            for (index, ended) in try running.ended() {
                if let told = ended.pace { pace = told }
                take(index, ended.result)
            }
        }
    }

    /// The result of a case that is not begun.
    private func skipped(
        _ tested: ConformanceCase, _ isolation: Isolation, _ broken: Set<String>, isLate: Bool
    ) -> CaseResult? {
        func skip(_ reason: String, needed: String? = nil) -> CaseResult {
            CaseResult(
                tested: tested, verdict: .skip(reason), duration: 0, seed: nil, output: "",
                needed: needed)
        }
        // It and those that need it would report the same fault again.
        if let needed = tested.needs.first(where: broken.contains) {
            return skip("needs \(needed), which did not pass", needed: needed)
        }
        if let reason = reasonToSkip(tested, in: isolation) ?? subject.reasonToSkip(tested.scope) {
            return skip(reason)
        }
        guard isLate, !isInProcess else { return nil }
        var result = skip("the time that --time gives is used up")
        result.isLeftOut = true
        return result
    }

    private func inProcess(
        _ tested: ConformanceCase, _ isolation: Isolation
    ) throws(ContainmentError) -> CaseResult {
        try ContainedChild.withDirectory { directory in
            let before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            chdir(directory)
            defer {
                fchdir(before)
                close(before)
            }
            let run = CaseRun(
                subject, seed: seed, isReproducing: isReproducing, isolation,
                LogPipe(withoutReader: ()))
            let start = csys_monotonic_ns()
            var verdict = run.verdict(tested.body)
            if verdict.status == .pass, run.isAboutOutput {
                verdict = .skip("what it writes can be seen in a child only")
            }
            return CaseResult(
                tested: tested, verdict: verdict, duration: csys_monotonic_ns() &- start,
                seed: tested.isSeeded && verdict.status.isFailure ? run.tried : nil, output: "")
        }
    }

    /// The variables of the environment of a case's process, in place of those of the kit.
    private func variables(of tested: ConformanceCase, in directory: String) -> [String: String] {
        guard tested.runsCode, let runtime = raceDetector else {
            return tested.allocator.variables
        }
        // It has an allocator of its own.
        return RaceDetector.variables(runtime, reports: tested.looksForRaces, in: directory)
    }

    /// Nanoseconds that each case has on a busy machine, however little time is given to all.
    private static let leastLimit: UInt64 = 10_000_000_000

    /// Nanoseconds until a case is killed: more where there are many examples, or long ones.
    private func limit(of tested: ConformanceCase, _ pace: UInt64) -> UInt64 {
        let graces = (subject.sound?.handlers ?? []).reduce(UInt64(0)) {
            $0 + UInt64($1.examples.count) * (min($1.grace, 10_000_000_000) + 500_000_000)
        }
        // Until it is known how long they take, they may take all that the kit gives.
        let longest = (subject.sound?.handlers ?? []).map(TestBed.ample).max() ?? 0
        return tested.limit + min(graces, 120_000_000_000)
            + (tested.tellsPace ? longest : 12 * pace)
    }

    private func inChild(
        _ tested: ConformanceCase, _ isolation: Isolation, _ share: UInt64, _ pace: UInt64
    ) throws(ContainmentError) -> RunningCases.Ended {
        let usual = limit(of: tested, pace)
        // A case that hangs is not to use up what was meant for all; most take less than their share.
        let limit = share > 0 ? min(usual, max(Self.leastLimit, share)) : usual
        return try ContainedChild.withDirectory { directory throws(ContainmentError) in
            let child = try ContainedChild(
                CaseChild.words(
                    tested, subject.directory, seed: seed, pace: pace, share: share,
                    isReproducing: isReproducing, isolation,
                    in: directory),
                in: directory,
                variables: isolation == .thread ? variables(of: tested, in: directory) : [:],
                limit: limit)
            let report = CaseReport(child, tested, limit: limit)
            var result = CaseResult(
                tested: tested, verdict: report.verdict, duration: child.duration,
                seed: tested.isSeeded && report.verdict.status.isFailure ? report.seed : nil,
                output: String(decoding: child.output + child.errors, as: UTF8.self))
            result.leftOut = report.leftOut
            if child.ending == .timedOut, limit < usual {
                result.verdict = .skip("it had not ended when its part of --time was used up")
                result.isLeftOut = true
            }
            return RunningCases.Ended(result: result, pace: report.pace)
        }
    }
}
