// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// What few tasks have: a budget of their own, progress, an error text, a result, somebody to call.
///
/// One piece of memory below a hundred bytes, as there may be one for each of a million pending
/// tasks; what few of the few have is made when it is wanted.
final class TaskRecord: @unchecked Sendable {
    // Sendable: `answer` is made and filled by the one who claimed the outcome, before it is
    // published, and only read afterwards; the overrides and `request` are written before the
    // launch is published; the rest is locked or atomic.

    /// 0 where the handler's own holds.
    var budget: UInt64 = 0
    var grace: UInt64 = 0
    /// Processor time of its function, in nanoseconds.
    let cpu = Atomic<UInt64>(0)
    /// The last reported fraction, as bits.
    let progress = Atomic<UInt64>(0)
    private var answer: TaskAnswer?
    /// The request it is a launch of.
    var request: RequestLaunch?
    /// The address of the `OverContinuation` that was asked for last, or 0.
    private let continuations = Atomic<UInt>(0)
    /// 0 stands for 1.
    var attempt: UInt32 = 0
    /// Orders the task's own events before its done event: whoever queues one holds it, and whoever
    /// has claimed the outcome passes through it before the done event is queued.
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

    /// Takes bytes from malloc(3) over.
    func setResult(_ bytes: UnsafeMutableRawBufferPointer) { makeAnswer().setResult(bytes) }

    // MARK: Observing the end

    /// `body` is called once the task is over and that is announced. Whoever asks looks afterwards,
    /// in one order with all others, whether it is over, and if so announces it too.
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

    /// The task is over: tells everybody who has asked for that. Again is no harm.
    func announce() {
        for body in takeContinuations() { body() }
    }

    /// In the order in which they were asked for.
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
