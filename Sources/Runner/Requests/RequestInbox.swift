// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues

/// The jobs that wait for the next batch of a host's requests.
///
/// Any thread adds jobs. One thread at a time takes all of them as a batch, commits it, and ends it.
/// Jobs that arrive meanwhile share the next batch, so many callers share one commit.
final class RequestInbox: Sendable {
    struct Batch {
        let jobs: [RequestJob]
        let number: UInt32
        let isStopping: Bool
    }

    private struct State {
        var jobs: [RequestJob] = []
        /// The number of the batch that takes the jobs.
        var batch: UInt32 = 1
        var isStopping = false
        /// No more jobs are accepted.
        var isClosed = false
    }

    private let state = Locked(State())
    private let signal = BatchSignal()
    /// eventfd, readable when the thread that takes the batches has to wake.
    let descriptor = csys_eventfd()

    deinit { csys_close(descriptor) }

    // MARK: Adding

    /// Adds a job. Returns false when the inbox is closed and drops the job.
    ///
    /// - Parameter runBatch: as of `addAndWait`.
    func add(_ job: RequestJob, runBatch: () -> Bool = { false }) -> Bool {
        guard let (_, isFirst) = put(job) else { return false }
        if isFirst, !runBatch() { wake() }
        return true
    }

    /// Adds a job and waits for the end of its batch. Returns false when the inbox is closed.
    ///
    /// - Parameter runBatch: takes and ends a batch on the calling thread. If it returns false, the
    ///   thread that takes the batches is woken.
    func addAndWait(_ job: RequestJob, runBatch: () -> Bool) -> Bool {
        guard let (batch, isFirst) = put(job) else { return false }
        if isFirst, !runBatch() { wake() }
        signal.wait(for: batch)
        return true
    }

    private func put(_ job: RequestJob) -> (batch: UInt32, isFirst: Bool)? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.jobs.append(job)
            return (state.batch, state.jobs.count == 1)
        }
    }

    func wake() { csys_eventfd_signal(descriptor) }

    /// Marks later batches as stopping; the last of them closes the inbox.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    // MARK: Taking

    func take() -> Batch {
        state.withLock { state in
            let batch = Batch(
                jobs: state.jobs, number: state.batch, isStopping: state.isStopping)
            if !state.jobs.isEmpty {
                state.jobs = []
                state.batch &+= 1
            }
            return batch
        }
    }

    /// Wakes the threads that wait for the batch. An empty one has no number of its own.
    func end(_ batch: Batch) {
        if !batch.jobs.isEmpty { signal.end(batch.number) }
    }

    /// Accepts no more jobs. Returns false, and stays open, while jobs wait.
    func close() -> Bool {
        state.withLock { state in
            guard state.jobs.isEmpty else { return false }
            state.isClosed = true
            return true
        }
    }
}
