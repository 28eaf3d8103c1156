// SPDX-License-Identifier: Apache-2.0
import CSystem
package import PluginBridge
package import Scheduling
import Synchronization

/// A clock that stands still until it is advanced, so that a test owns time.
public final class ManualClock: @unchecked Sendable {
    // Sendable: `time` is atomic; `hosts` is locked.

    /// From `now` to nanoseconds since 1970.
    private let wallOffset = Atomic<Int64>(1_767_225_600_000_000_000 - 1_000_000_000)
    private let time: UnsafeMutablePointer<Atomic<UInt64>>
    /// Held until their shutdown is over, so that they can be while the clock is advanced.
    private let hosts = Locked<[ClockMember]>([])
    /// One thread advances at a time.
    private let advancing = Locked<Void>(())

    /// Makes a clock that shows 1 s.
    public init() {
        time = .allocate(capacity: 1)
        time.initialize(to: Atomic(1_000_000_000))
    }

    deinit { time.deallocate() }

    /// Nanoseconds.
    package var now: UInt64 { time.pointee.load(ordering: .sequentiallyConsistent) }

    /// The same moment on a wall's clock, which can be set.
    package var moment: Moment {
        let now = now
        let (wall, overflow) = Int64(clamping: now).addingReportingOverflow(
            wallOffset.load(ordering: .sequentiallyConsistent))
        // Both can only be large together: an offset below 0 is no larger than the time was.
        return Moment(wall: overflow ? .max : wall, span: now)
    }

    /// Sets the clock on the wall to nanoseconds since 1970 in UTC, as a person sets a
    /// machine's clock: no time passes. It begins at 2026-01-01 00:00:00. `INVALID`: no machine's
    /// clock can be set to that date (`Moment.dates`).
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

    /// True while a host uses it.
    package var isInUse: Bool { hosts.withLock { !$0.isEmpty } }

    func join(_ host: ClockMember) { hosts.withLock { $0.append(host) } }

    func leave(_ threads: HostThreads) {
        hosts.withLock { $0.removeAll { $0.threads === threads } }
    }

    /// When something comes due the next time in a host that uses it, or a time somewhat before that;
    /// nil: never.
    package var nextDeadline: UInt64? { Self.nextDeadline(of: hosts.withLock { $0 }) }

    private static func nextDeadline(of hosts: [ClockMember]) -> UInt64? {
        hosts.flatMap { [$0.deadlines.nextDeadline, $0.requests.nextDeadline].compactMap(\.self) }
            .min()
    }

    /// Nanoseconds of real time that functions have to return in while the clock is advanced.
    private static let patience: UInt64 = 1_000_000_000

    /// Lets functions return whose tasks are over. Of an hour that passes at once a busy machine may
    /// have given them nothing, and their workers would be lost.
    private static func awaitReturns(in hosts: [ClockMember], _ patience: inout UInt64) {
        let start = csys_monotonic_ns()
        var spent: UInt64 = 0
        while spent < patience, hosts.contains(where: { $0.deadlines.isReturning }) {
            csys_yield()
            spent = csys_monotonic_ns() &- start
        }
        patience -= min(spent, patience)
    }

    /// Moves the clock by `nanoseconds`, stopping at every deadline in between, and returns once
    /// everything that came due has been delivered.
    ///
    /// `WRONG_THREAD` from inside a host that uses the clock: it would wait for itself.
    package func advance(by nanoseconds: UInt64) -> Status {
        let members = hosts.withLock { $0 }
        guard members.allSatisfy({ $0.threads.role == .other }) else {
            return .wrongThread
        }
        advancing.withLock { _ in
            let (sum, overflow) = now.addingReportingOverflow(nanoseconds)
            // As far as a deadline can still be added to it.
            let target = max(now, overflow ? 1 << 63 : min(sum, 1 << 63))
            var patience = Self.patience
            repeat {
                if now < target { Self.awaitReturns(in: members, &patience) }
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
