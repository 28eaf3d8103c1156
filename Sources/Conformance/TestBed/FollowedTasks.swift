// SPDX-License-Identifier: Apache-2.0

/// The references and answers of a plugin's tasks, and its expiration callbacks: a pure value.
struct FollowedTasks {
    /// The first answer of the plugin for a task.
    private struct Answer {
        let thread: UInt64
        /// It had been told to stop. Then its function and its callback may both answer.
        let wasStopped: Bool
        /// By complete, and not by what its function returned.
        let isCall: Bool
    }

    private var answers: [UInt64: Answer] = [:]
    private var completed: Set<UInt64> = []
    /// Those whose functions have returned PENDING.
    private var pending: Set<UInt64> = []
    /// Those whose completion was refused for lack of memory.
    private var retriable: Set<UInt64> = []
    /// The largest fraction that was reported.
    private var fractions: [UInt64: Double] = [:]
    /// The references that tasks have, by task: the function's own, and those that were kept.
    private var references: [UInt64: Int] = [:]
    /// The tasks whose expiration callbacks are at work, and how many callbacks are.
    private var stopping: Set<UInt64> = []
    private var callbackCount = 0

    /// Those that were answered, and to which the plugin still has references.
    var held: [UInt64] { answers.keys.filter { references[$0, default: 0] > 0 }.sorted() }

    // MARK: References

    mutating func keep(_ task: UInt64) { references[task, default: 0] += 1 }

    /// Returns whether it was the last one.
    mutating func drop(_ task: UInt64) -> Bool {
        references[task, default: 0] -= 1
        return references[task] == 0
    }

    /// Whether the plugin was given it, and has no reference to it any more.
    func isOver(_ task: UInt64) -> Bool { references[task] == 0 }

    // MARK: Answers

    func isCompleted(_ task: UInt64) -> Bool { completed.contains(task) }

    func wasAnswered(_ task: UInt64, by thread: UInt64) -> Bool {
        answers[task]?.thread == thread
    }

    /// Its function has returned PENDING. Returns false if the task was completed meanwhile, so that the function's
    /// reference goes now.
    mutating func pend(_ task: UInt64) -> Bool {
        guard !completed.contains(task) else { return false }
        pending.insert(task)
        return true
    }

    mutating func permitRetry(_ task: UInt64) { retriable.insert(task) }

    /// Returns whether a further completion was permitted, which it is once.
    mutating func takeRetry(_ task: UInt64) -> Bool { retriable.remove(task) != nil }

    /// Notes an answer, if it is the first one.
    mutating func answer(_ task: UInt64, by thread: UInt64, wasStopped: Bool, isCall: Bool) {
        guard answers[task] == nil else { return }
        answers[task] = Answer(thread: thread, wasStopped: wasStopped, isCall: isCall)
    }

    /// Returns what is wrong about a completion that is neither the first answer nor one that could not know of the
    /// first; worded to follow "it".
    func fault(ofCompleting task: UInt64, by thread: UInt64) -> String? {
        guard references[task] != nil else {
            return "completed task \(task), which it was never given"
        }
        guard let first = answers[task] else { return nil }
        if first.thread != thread, first.wasStopped || stopping.contains(task) { return nil }
        return first.isCall
            ? "completed a task twice"
            : "completed a task after its function had returned the answer"
    }

    /// Returns whether its function had returned PENDING, whose reference goes now.
    mutating func complete(_ task: UInt64) -> Bool {
        completed.insert(task)
        return pending.remove(task) != nil
    }

    // MARK: Progress

    /// Notes a fraction. Returns the largest one before, if that is more.
    mutating func report(_ fraction: Double, of task: UInt64) -> Double? {
        let before = fractions[task] ?? 0
        guard fraction < before else {
            fractions[task] = fraction
            return nil
        }
        return before
    }

    // MARK: Expiration callbacks

    var areStopping: Bool { callbackCount > 0 }

    mutating func beginStop(_ task: UInt64) {
        callbackCount += 1
        stopping.insert(task)
    }

    mutating func endStop(_ task: UInt64) {
        callbackCount -= 1
        stopping.remove(task)
    }
}
