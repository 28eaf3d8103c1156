// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc
import Synchronization

/// SIGINT and similar signals as an event to wait for, for commands that run until they are
/// stopped. A second signal ends the process at once, or the third where the second means haste.
struct StopSignals {
    /// Readable once one of them came.
    let descriptor: Int32
    /// Readable after a SIGHUP that means something else; nil if each is a wish to end.
    let hangup: Int32?
    /// What the second signal does, in place of ending the process, if `isHasteWanted`.
    private let haste = Callback<Void>()
    private let isHasteWanted = Locked(false)

    /// Signals that come within these nanoseconds of the first are the same wish: timeout(1) signals
    /// its child, and then the group to which the child belongs.
    private static var sameWish: UInt64 { 200_000_000 }

    /// Blocks the signals in this thread and in those it will start.
    ///
    /// - Parameter keepsHangup: SIGHUP is no wish to end, unless there is a terminal whose end it tells.
    init(keepsHangup: Bool = false) throws(CommandError) {
        let descriptor = try Self.event()
        let hangup = keepsHangup && !Self.hasTerminal ? try Self.event() : nil
        self.descriptor = descriptor
        self.hangup = hangup
        let (haste, isHasteWanted) = (haste, isHasteWanted)
        let last = Atomic<UInt64>(0)
        try ProgramThread.takeSignals(orEnd: .faults) { number in
            if number == SIGHUP, let hangup { return csys_eventfd_signal(hangup) }
            let now = csys_monotonic_ns()
            let earlier = last.load(ordering: .relaxed)
            if earlier != 0, now &- earlier < Self.sameWish { return }
            last.store(now, ordering: .relaxed)
            if earlier == 0 { return csys_eventfd_signal(descriptor) }
            if isHasteWanted.exchange(false) { return haste() }
            ProgramThread.stopTakingSignals()
            kill(getpid(), number)
            while true { pause() }
        }
    }

    /// Has the second signal do this, and the third end the process.
    func onSecond(_ body: @escaping @Sendable () -> Void) {
        haste.set(body)
        _ = isHasteWanted.exchange(true)
    }

    private static func event() throws(CommandError) -> Int32 {
        let descriptor = csys_eventfd()
        guard descriptor >= 0 else {
            throw CommandError(
                .faults, "an event cannot be made: \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }

    /// The event that ended a wait.
    enum Next { case end, hangup, event, time }

    /// Waits for a signal, or until a descriptor is readable, until a CLOCK_MONOTONIC time.
    func next(until deadline: UInt64, event: Int32) -> Next {
        let descriptors = [descriptor, hangup ?? -1, event]
        while true {
            csys_wait_any_readable(descriptors, Int32(descriptors.count), deadline)
            var ready = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&ready, nfds_t(ready.count), 0) > 0 {
                if ready[0].revents != 0 { return .end }
                if let hangup, ready[1].revents != 0 {
                    csys_eventfd_drain(hangup)
                    return .hangup
                }
                if ready[2].revents != 0 { return .event }
            }
            if csys_monotonic_ns() >= deadline { return .time }
        }
    }
}
