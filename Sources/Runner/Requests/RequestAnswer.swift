// SPDX-License-Identifier: Apache-2.0
import CSystem
import Scheduling
import Synchronization

/// What a thread waits for that has asked for something to be written into the store.
final class RequestAnswer<Value: Sendable>: @unchecked Sendable {
    // Sendable: written by the loop's thread before `word` is set, read after it.

    var value: Value?
    private var fault: StoreFault?
    private let word: UnsafeMutablePointer<Atomic<UInt32>>

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(0))
    }

    deinit {
        word.deinitialize(count: 1)
        word.deallocate()
    }

    func settle(_ fault: StoreFault?) {
        self.fault = fault
        word.pointee.store(1, ordering: .sequentiallyConsistent)
        csys_futex_wake(word, .max)
    }

    func wait() throws(RequestFailure) -> Value {
        while word.pointee.load(ordering: .sequentiallyConsistent) == 0 {
            csys_futex_wait(word, 0, .max)
        }
        if let fault { throw .store(fault) }
        guard let value else { fatalError("a job of the requests was committed and not applied") }
        return value
    }
}
