// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// Timers of the event loop, on the host's clock.
struct LoopTimers {
    private var wheel: TimingWheel
    private var armed: [UInt32: (number: UInt64, work: LoopWork)] = [:]
    private var keys: [UInt64: UInt32] = [:]
    private var free: [UInt32] = []
    private var last: UInt64 = 0

    init(now: UInt64) { wheel = TimingWheel(now: now) }

    var next: UInt64? { wheel.next }

    mutating func add(_ work: LoopWork, at deadline: UInt64) -> UInt64 {
        last += 1
        let key = free.popLast() ?? UInt32(armed.count)
        armed[key] = (last, work)
        keys[last] = key
        wheel.arm(TimingWheel.Entry(key: key, value: last, deadline: deadline))
        return last
    }

    /// Cancels a timer. Does nothing if it was due already.
    mutating func cancel(_ number: UInt64) {
        guard let key = keys.removeValue(forKey: number) else { return }
        wheel.disarm(key, value: number)
        armed[key] = nil
        free.append(key)
    }

    /// Removes due work, ordered by deadline, then by the order of adding.
    mutating func popDue(now: UInt64) -> [LoopWork] {
        var due: [(entry: TimingWheel.Entry, work: LoopWork)] = []
        while let entry = wheel.popDue(now: now) {
            guard let (number, work) = armed.removeValue(forKey: entry.key) else { continue }
            keys[number] = nil
            free.append(entry.key)
            due.append((entry, work))
        }
        if due.count > 1 {
            due.sort { ($0.entry.deadline, $0.entry.value) < ($1.entry.deadline, $1.entry.value) }
        }
        return due.map(\.work)
    }
}
