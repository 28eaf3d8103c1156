// SPDX-License-Identifier: Apache-2.0
import CSystem
package import PluginBridge
package import Scheduling
import Synchronization

/// A clock that changes only when it is advanced, so that tests control time.
public final class ManualClock: @unchecked Sendable {
    // Sendable: `time` is atomic; `hosts` is locked.

    /// Offset from `now` to nanoseconds since 1970.
    private let wallOffset = Atomic<Int64>(1_767_225_600_000_000_000 - 1_000_000_000)
    private let time: UnsafeMutablePointer<Atomic<UInt64>>
    /// Kept until the end of their shutdown, so that they stay valid while the clock is advanced.
    private let hosts = Locked<[ClockMember]>([])
    private let advancing = Locked<Void>(())

    /// Creates a clock that shows 1 s.
    public convenience init() { self.init(returnTime: 1_000_000_000) }

    init(returnTime: UInt64) {
        self.returnTime = returnTime
        time = .allocate(capacity: 1)
        time.initialize(to: Atomic(1_000_000_000))
    }

    deinit { time.deallocate() }

    /// Nanoseconds.
    package var now: UInt64 { time.pointee.load(ordering: .sequentiallyConsistent) }

    /// The current time with its wall-clock time, which can be set.
    package var moment: Moment {
        let now = now
        let (wall, overflow) = Int64(clamping: now).addingReportingOverflow(
            wallOffset.load(ordering: .sequentiallyConsistent))
        // Overflow is always upwards: a negative offset is not larger than the time was.
        return Moment(wall: overflow ? .max : wall, span: now)
    }

    /// Sets the wall clock to nanoseconds since 1970 in UTC; no time passes.
    ///
    /// The initial date is 2026-01-01 00:00:00. Returns `INVALID` for a date outside of
    /// `Moment.dates`, to which no machine's clock can be set.
    package func setWall(_ wall: Int64) -> Status {
        let members = hosts.withLock { $0 }
        guard members.allSatisfy({ $0.threads.role == .other }) else {
            return .wrongThread
        }
        guard Moment.dates.contains(wall) else { return .invalid }
        wallOffset.store(wall &- Int64(clamping: now), ordering: .sequentiallyConsistent)
        for host in members { host.requests.settle() }
        return .ok
    }

    package var isInUse: Bool { hosts.withLock { !$0.isEmpty } }

    func join(_ host: ClockMember) { hosts.withLock { $0.append(host) } }

    func leave(_ threads: HostThreads) {
        hosts.withLock { $0.removeAll { $0.threads === threads } }
    }

    /// A lower bound of the next deadline in any host that uses the clock; nil without one.
    package var nextDeadline: UInt64? { Self.nextDeadline(of: hosts.withLock { $0 }) }

    private static func nextDeadline(of hosts: [ClockMember]) -> UInt64? {
        hosts.flatMap { [$0.deadlines.nextDeadline, $0.requests.nextDeadline].compactMap(\.self) }
            .min()
    }

    /// Real time in nanoseconds that functions get to return while the clock is advanced.
    private let returnTime: UInt64

    /// Waits for functions of ended tasks to return. A busy machine may not have run them during an
    /// hour that passes at once, and their workers would count as lost.
    private static func awaitReturns(in hosts: [ClockMember], _ returnTime: inout UInt64) {
        let start = csys_monotonic_ns()
        var spent: UInt64 = 0
        while spent < returnTime, hosts.contains(where: { $0.deadlines.isReturning }) {
            csys_yield()
            spent = csys_monotonic_ns() &- start
        }
        returnTime -= min(spent, returnTime)
    }

    /// Advances the clock, stopping at each deadline, and returns once all due work is delivered.
    /// Returns `WRONG_THREAD` inside a host that uses the clock, which would wait for itself.
    package func advance(by nanoseconds: UInt64) -> Status {
        let members = hosts.withLock { $0 }
        guard members.allSatisfy({ $0.threads.role == .other }) else {
            return .wrongThread
        }
        advancing.withLock { _ in
            let (sum, overflow) = now.addingReportingOverflow(nanoseconds)
            // Limited so that a deadline can still be added.
            let target = max(now, overflow ? 1 << 63 : min(sum, 1 << 63))
            var returnTime = returnTime
            repeat {
                if now < target { Self.awaitReturns(in: members, &returnTime) }
                for host in members {
                    host.deadlines.settle()
                    host.requests.settle()
                }
                let next = Self.nextDeadline(of: members)
                time.pointee.store(
                    max(now, min(next ?? target, target)), ordering: .sequentiallyConsistent)
                for host in members {
                    host.deadlines.settle()
                    host.requests.settle()
                    host.loop.settle()
                }
            } while now < target
        }
        return .ok
    }
}

/// The parts of a host that a manual clock moves.
struct ClockMember: Sendable {
    let threads: HostThreads
    let deadlines: Deadlines
    let requests: RequestService
    let loop: EventLoop
}
