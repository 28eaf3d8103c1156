import CSystem
import Glibc
// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// What few tasks have: a budget of their own, progress, an error text, a result, somebody waiting.
final class TaskRecord: @unchecked Sendable {
    // Sendable: `error` and `result` are written once, by the one who claimed the outcome, before
    // it is published, and only read afterwards; the overrides are written before the launch is
    // published; the rest is locked or atomic.

    /// 0 where the handler's own holds.
    var budget: UInt64 = 0
    var grace: UInt64 = 0
    /// 0 stands for 1.
    var attempt: UInt32 = 0
    /// The request it is a launch of.
    var ticket: RequestTicket?
    /// Nil: the handler's.
    var kind: TaskKind?
    /// Nanoseconds after which its request is to be launched again, plus 1; 0: nobody said so.
    let snooze = Atomic<UInt64>(0)
    /// Processor time of its function, in nanoseconds.
    let cpu = Atomic<UInt64>(0)

    /// NUL-terminated.
    private(set) var error: UnsafeMutablePointer<CChar>?
    private(set) var errorBytes = 0
    private(set) var result: UnsafeMutableRawPointer?
    private(set) var resultBytes = 0

    /// Orders the task's own events before its done event: whoever queues one holds it, and whoever
    /// has claimed the outcome passes through it before the done event is queued.
    let order = Locked<Void>(())
    /// The last reported fraction, as bits.
    let progress = Atomic<UInt64>(0)
    /// 1 once the task is over: what a waiting thread sleeps on.
    private let over: UnsafeMutablePointer<Atomic<UInt32>>

    init() {
        over = .allocate(capacity: 1)
        over.initialize(to: Atomic(0))
    }

    deinit {
        error?.deallocate()
        free(result)
        over.deinitialize(count: 1)
        over.deallocate()
    }

    func setError(_ text: UnsafeRawBufferPointer) {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + 1)
        if let base = text.baseAddress {
            UnsafeMutableRawPointer(copy).copyMemory(from: base, byteCount: text.count)
        }
        copy[text.count] = 0
        error = copy
        errorBytes = text.count
    }

    /// Takes bytes from malloc(3) over.
    func setResult(_ bytes: UnsafeMutableRawBufferPointer) {
        result = bytes.baseAddress
        resultBytes = bytes.count
    }

    /// Called when the task is over.
    private let continuations = Locked<[@Sendable () -> Void]>([])

    func whenAnnounced(_ body: @escaping @Sendable () -> Void) {
        continuations.withLock { $0.append(body) }
    }

    /// The task is over: wakes everybody who waits for that. Again is no harm.
    func announce() {
        let bodies = continuations.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for body in bodies { body() }
        over.pointee.store(1, ordering: .sequentiallyConsistent)
        csys_futex_wake(over, .max)
    }

    /// Wakes everybody to look again, though the task is not over.
    func disturb() {
        over.pointee.wrappingAdd(2, ordering: .sequentiallyConsistent)
        csys_futex_wake(over, .max)
    }

    var overWord: UInt32 { over.pointee.load(ordering: .sequentiallyConsistent) }

    func sleep(while word: UInt32, until: UInt64) { csys_futex_wait(over, word, until) }
}
