// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Scheduling

/// Reports whether the machine is idle, as far as its terminals show: by the time since the last
/// key, as w(1) does.
///
/// The user of a graphical session does not type at a terminal, so that quiet terminals mean
/// nothing while one is active. Consoles exist without a login, so that they can show use of the
/// machine, but not its absence.
package struct IdleSource: FactorSource {
    private let dev: String
    private let run: String
    /// The nanoseconds without a key after which the machine counts as idle.
    private let threshold: UInt64
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - dev: where devices are.
    ///   - run: where /run is.
    ///   - now: the machine's clock, nanoseconds since 1970 in UTC.
    package init(
        dev: String = "/dev", run: String = "/run",
        thresholds: MachineThresholds = MachineThresholds(),
        now: @escaping @Sendable () -> Int64 = { IdleSource.wall() }
    ) {
        self.dev = dev
        self.run = run
        threshold = thresholds.idleAfter.inNanoseconds
        self.now = now
    }

    package var factors: Set<Factor> { [.idle] }

    package func read() -> [Factor: FactorReading] {
        do {
            return [.idle: try reading(Terminal.all(dev: dev))]
        } catch {
            return [.idle: FactorReading(.unknown, source: error.path, detail: "\(error)")]
        }
    }

    private func reading(_ terminals: [Terminal]) throws(FileFault) -> FactorReading {
        let now = now()
        let idle = terminals.map { ($0, Self.span(from: $0.lastUse, to: now)) }
        if let (terminal, span) = idle.min(by: { $0.1 < $1.1 }), span < threshold {
            return reading(
                .no, terminal, "\(terminal.name) was used \(SpanText(nanoseconds: span)) ago")
        }
        let sessions = try LoginSession.all(run: run) ?? []
        if sessions.contains(where: { $0.isOfUser && $0.isGraphical && $0.isActive }) {
            return reading(.unknown, nil, "terminals do not tell how a graphical session is used")
        }
        guard
            let (terminal, span) = idle.filter({ !$0.0.isConsole }).min(by: { $0.1 < $1.1 })
        else { return reading(.unknown, nil, "no user has a terminal") }
        return reading(
            .yes, terminal, "no terminal was used for \(SpanText(nanoseconds: span))")
    }

    private func reading(
        _ state: FactorState, _ terminal: Terminal?, _ detail: String
    ) -> FactorReading {
        let path = terminal.map { "\(dev)/\($0.name)" } ?? dev
        return FactorReading(state, source: Shown.text(path), detail: detail)
    }

    /// 0 where the clock was set back in between.
    private static func span(from: Int64, to: Int64) -> UInt64 {
        to > from ? UInt64(bitPattern: to &- from) : 0
    }

    /// CLOCK_REALTIME.
    package static func wall() -> Int64 {
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else {
            fatalError("CLOCK_REALTIME cannot be read")
        }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
