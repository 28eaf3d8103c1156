// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An operation that goes on after its start has returned, and says itself when it is done.
final class AsyncOperation: Operation, @unchecked Sendable {
    // Sendable: the flags are behind the lock.
    private let lock = NSLock()
    private var isAtWork = false
    private var isOver = false
    private let begin: @Sendable (AsyncOperation) -> Void

    init(_ begin: @escaping @Sendable (AsyncOperation) -> Void) { self.begin = begin }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { lock.withLock { isAtWork } }
    override var isFinished: Bool { lock.withLock { isOver } }

    override func start() {
        guard !isCancelled else {
            finish()
            return
        }
        willChangeValue(forKey: "isExecuting")
        lock.withLock { isAtWork = true }
        didChangeValue(forKey: "isExecuting")
        main()
    }

    override func main() { begin(self) }

    func finish() {
        willChangeValue(forKey: "isFinished")
        lock.withLock {
            isAtWork = false
            isOver = true
        }
        didChangeValue(forKey: "isFinished")
    }
}
