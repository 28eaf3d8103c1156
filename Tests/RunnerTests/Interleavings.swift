// SPDX-License-Identifier: Apache-2.0

/// All ways in which the steps of a few threads can follow each other, one step at a time.
///
/// A model of a lock-free protocol: each step is what one atomic operation of the code does to memory
/// that all threads share. Every order is tried that sequential consistency allows, which is what the
/// code asks of the operations that are modelled here.
struct Interleavings<Shared> {
    /// The local state of a thread, and the number of its next step.
    struct Local {
        var next = 0
        /// Values that it has read.
        var registers: [String: UInt64] = [:]
        var isOver = false
        /// It sleeps until this number is not the word's any more; nil: it is awake.
        var sleepsOn: UInt64?
    }

    typealias Step = (inout Shared, inout Local) -> Void

    let initial: Shared
    let threads: [[Step]]
    /// The word that sleeping threads sleep on.
    let word: (Shared) -> UInt64
    /// Checks a state in which no thread can go on; returns what is wrong.
    let check: (Shared, [Local]) -> String?

    init(
        _ initial: Shared, _ threads: [[Step]], word: @escaping (Shared) -> UInt64 = { _ in 0 },
        check: @escaping (Shared, [Local]) -> String?
    ) {
        self.initial = initial
        self.threads = threads
        self.word = word
        self.check = check
    }

    /// The result of trying all of them.
    struct Result {
        var orders = 0
        /// The first fault, and the threads in the order of their steps that lead to it.
        var fault: (what: String, order: [Int])?
    }

    func explore() -> Result {
        var result = Result()
        go(initial, threads.map { _ in Local() }, [], &result)
        return result
    }

    private func go(_ shared: Shared, _ locals: [Local], _ order: [Int], _ result: inout Result) {
        guard result.fault == nil else { return }
        var moved = false
        for index in threads.indices where canMove(locals[index], index, shared) {
            moved = true
            var shared = shared
            var locals = locals
            locals[index].sleepsOn = nil
            let step = threads[index][locals[index].next]
            locals[index].next += 1
            step(&shared, &locals[index])
            if locals[index].next >= threads[index].count { locals[index].isOver = true }
            go(shared, locals, order + [index], &result)
        }
        if moved { return }
        result.orders += 1
        if let what = check(shared, locals) { result.fault = (what, order) }
    }

    private func canMove(_ local: Local, _ index: Int, _ shared: Shared) -> Bool {
        if local.isOver { return false }
        guard let slept = local.sleepsOn else { return true }
        return word(shared) != slept
    }
}
