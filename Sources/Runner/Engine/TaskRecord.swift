// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// Data that few tasks have: their own budget, progress, error text, result, observers.
///
/// Less than a hundred bytes, because each of a million pending tasks may have one; rarer parts are
/// allocated on demand.
final class TaskRecord: @unchecked Sendable {
    // Sendable: the thread that claimed the outcome fills `answer` before it is published, then it
    // is only read; the overrides and `request` are written before the launch is published; the
    // rest is locked or atomic.

    /// 0 means the handler's.
    var budget: UInt64 = 0
    var grace: UInt64 = 0
    /// Processor time of the function in nanoseconds.
    let cpu = Atomic<UInt64>(0)
    /// The last reported fraction, as bits.
    let progress = Atomic<UInt64>(0)
    private var answer: TaskAnswer?
    var request: RequestLaunch?
    /// The address of the `OverContinuation` that was added last, or 0.
    private let continuations = Atomic<UInt>(0)
    /// 0 means 1.
    var attempt: UInt32 = 0
    /// Orders the task's own events before its done event: a thread that queues one holds the lock,
    /// and the thread that claimed the outcome takes it before it queues the done event.
    let order = WordLock()

    deinit { _ = takeContinuations() }

    var error: UnsafeMutablePointer<CChar>? { answer?.error }
    var errorBytes: Int { answer?.errorBytes ?? 0 }
    var result: UnsafeMutableRawPointer? { answer?.result }
    var resultBytes: Int { answer?.resultBytes ?? 0 }

    private func makeAnswer() -> TaskAnswer {
        if let answer { return answer }
        let fresh = TaskAnswer()
        answer = fresh
        return fresh
    }

    func setError(_ text: UnsafeRawBufferPointer) { makeAnswer().setError(text) }

    /// Takes ownership of bytes from malloc(3).
    func setResult(_ bytes: UnsafeMutableRawBufferPointer) { makeAnswer().setResult(bytes) }

    // MARK: Observing the end

    /// Adds a callback for `announce()`. The caller checks the state afterwards, sequentially
    /// consistently, and calls `announce()` itself if the task is over.
    func whenAnnounced(_ body: @escaping @Sendable () -> Void) {
        let node = UnsafeMutablePointer<OverContinuation>.allocate(capacity: 1)
        node.initialize(to: OverContinuation(body: body))
        var last = continuations.load(ordering: .relaxed)
        while true {
            node.pointee.previous = UnsafeMutablePointer(bitPattern: last)
            let (exchanged, original) = continuations.compareExchange(
                expected: last, desired: UInt(bitPattern: node), ordering: .sequentiallyConsistent)
            if exchanged { return }
            last = original
        }
    }

    /// Calls all added callbacks after the end of the task. Further calls are harmless.
    func announce() {
        for body in takeContinuations() { body() }
    }

    /// Removes all callbacks, in the order they were added.
    private func takeContinuations() -> [@Sendable () -> Void] {
        var bodies: [@Sendable () -> Void] = []
        let last = continuations.exchange(0, ordering: .sequentiallyConsistent)
        var next = UnsafeMutablePointer<OverContinuation>(bitPattern: last)
        while let node = next {
            let continuation = node.move()
            node.deallocate()
            bodies.append(continuation.body)
            next = continuation.previous
        }
        return bodies.reversed()
    }
}

/// A callback for the end of a task, linked to those added before it.
struct OverContinuation {
    let body: @Sendable () -> Void
    var previous: UnsafeMutablePointer<OverContinuation>?
}
