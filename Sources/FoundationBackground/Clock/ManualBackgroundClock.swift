// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues

/// A clock for tests: no time passes but what the test lets pass.
public final class ManualBackgroundClock: BackgroundClock {
    private struct Waiting {
        let number: UInt64
        let time: UInt64
        let body: @Sendable () -> Void
    }

    private struct State {
        var now: UInt64 = 0
        var count: UInt64 = 0
        var waiting: [Waiting] = []
    }

    private let state = Locked(State())

    /// Makes a clock at which it is 0.
    public init() {}

    /// The time that was advanced, in nanoseconds.
    public var now: UInt64 { state.withLock { $0.now } }

    /// Calls `body` on the thread that lets the time pass.
    public func wake(at time: UInt64, _ body: @escaping @Sendable () -> Void) -> BackgroundAlarm {
        let number = state.withLock { state -> UInt64 in
            state.count += 1
            state.waiting.append(Waiting(number: state.count, time: time, body: body))
            return state.count
        }
        return BackgroundAlarm { [weak self] in
            self?.state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                    return
                }
                state.waiting.remove(at: index)
            }
        }
    }

    /// Lets `seconds` pass, from one alarm to the next, and returns when the last one was called.
    public func advance(by seconds: Double) {
        let end = now + UInt64(seconds * 1_000_000_000)
        while let body = next(until: end) { body() }
    }

    private func next(until end: UInt64) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let due = state.waiting.filter { $0.time <= end }
                .min { ($0.time, $0.number) < ($1.time, $1.number) }
            guard let due else {
                state.now = end
                return nil
            }
            state.now = max(state.now, due.time)
            state.waiting.removeAll { $0.number == due.number }
            return due.body
        }
    }
}
