// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import Glibc

/// Runs the jobs of one handler's Swift task on the worker that entered the handler.
///
/// Swift's own pool has as many threads as the machine has cores, shared by all plugins in the
/// process: two handlers that spin would stop all others. Here a handler occupies only its worker.
final class WorkerExecutor: TaskExecutor, @unchecked Sendable {
    private struct State {
        var jobs: [UnownedJob] = []
        var isOpen = true
    }

    // Sendable: the pointer is a constant, and the semaphore may be used by any thread.
    private let state = Locked(State())
    /// Posted after each change that the worker may wait for.
    private let changed = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(changed, 0, 0) }

    deinit {
        sem_destroy(changed)
        changed.deallocate()
    }

    /// Queues a job. A job that comes after the handler's function has ended belongs to code that
    /// the handler did not wait for; there is no worker for it, so it goes to the global pool.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let taken = state.withLock { state in
            if state.isOpen { state.jobs.append(job) }
            return state.isOpen
        }
        if taken { wake() } else { globalConcurrentExecutor.enqueue(job) }
    }

    /// Runs jobs on the calling thread, in order, until one of them calls `finish`.
    func drain() {
        let executor = asUnownedTaskExecutor()
        var batch: [UnownedJob] = []
        repeat {
            waitUntil { !isOpen || state.withLock { !$0.jobs.isEmpty } }
            state.withLock { swap(&batch, &$0.jobs) }
            for job in batch {
                if isOpen {
                    job.runSynchronously(on: executor)
                } else {
                    globalConcurrentExecutor.enqueue(job)
                }
            }
            batch.removeAll(keepingCapacity: true)
        } while isOpen || state.withLock { !$0.jobs.isEmpty }
    }

    private var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Ends `drain` after the job that calls it.
    func finish() {
        state.withLock { $0.isOpen = false }
        wake()
    }

    /// Blocks the worker until the condition holds; the code that makes it true calls `wake`.
    func waitUntil(_ condition: () -> Bool) {
        // A semaphore counts: a post between the look and the wait is not lost.
        while !condition() { sem_wait(changed) }
    }

    func wake() { sem_post(changed) }
}
