// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Runs the jobs of one handler's Swift task on the worker that entered the handler.
///
/// Swift's own pool has as many threads as the machine has cores, shared by all plugins in the
/// process: two handlers that spin would stop all others. Here a handler occupies only its worker.
final class WorkerExecutor: TaskExecutor, @unchecked Sendable {
    // `mutex` guards `jobs`, `first` and `isOpen`; the two pointers are constants.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    /// The index in `jobs` of the next job.
    private var first = 0
    private var isOpen = true

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Queues a job. A job that comes after the handler's function has ended belongs to code that
    /// the handler did not wait for; there is no worker for it, so it goes to the global pool.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pthread_mutex_lock(mutex)
        let taken = isOpen
        if taken {
            jobs.append(job)
            pthread_cond_signal(changed)
        }
        pthread_mutex_unlock(mutex)
        if !taken { globalConcurrentExecutor.enqueue(job) }
    }

    /// Runs jobs on the calling thread, in order, until one of them calls `finish`.
    func drain() {
        let executor = asUnownedTaskExecutor()
        while let job = next() { job.runSynchronously(on: executor) }
        pthread_mutex_lock(mutex)
        let left = jobs[first...]
        jobs = []
        pthread_mutex_unlock(mutex)
        for job in left { globalConcurrentExecutor.enqueue(job) }
    }

    /// Waits for a job; returns nil after `finish`.
    private func next() -> UnownedJob? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while isOpen && first == jobs.count { pthread_cond_wait(changed, mutex) }
        guard isOpen else { return nil }
        let job = jobs[first]
        first += 1
        if first == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            first = 0
        }
        return job
    }

    /// Ends `drain` after the job that calls it.
    func finish() {
        pthread_mutex_lock(mutex)
        isOpen = false
        pthread_cond_signal(changed)
        pthread_mutex_unlock(mutex)
    }

    /// Blocks until the condition holds; the code that makes it true calls `wake`.
    func waitUntil(_ condition: () -> Bool) {
        pthread_mutex_lock(mutex)
        while !condition() { pthread_cond_wait(changed, mutex) }
        pthread_mutex_unlock(mutex)
    }

    func wake() {
        pthread_mutex_lock(mutex)
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }
}
