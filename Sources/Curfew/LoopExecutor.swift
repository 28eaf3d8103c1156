// SPDX-License-Identifier: Apache-2.0
import Runner

/// Runs Swift tasks on the thread that runs a host's event loop, in order with the events.
package final class LoopExecutor: TaskExecutor, @unchecked Sendable {
    // Sendable: only the loop's thread uses `takesJob`.

    private let runtime: HostRuntime
    /// Whether the next job runs where it is enqueued, instead of being queued: the loop is about
    /// to resume it, and no other work may come in between.
    private var takesJob = false

    init(_ runtime: HostRuntime) { self.runtime = runtime }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if runtime.loop.isLoopThread, takesJob {
            takesJob = false
            job.runSynchronously(on: asUnownedTaskExecutor())
        } else {
            runtime.loop.post { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    /// Runs `body`. On the loop's thread the one task that it starts or resumes runs at once, up to
    /// its next suspension; elsewhere it is queued.
    package func here(_ body: () -> Void) {
        guard runtime.loop.isLoopThread else {
            body()
            return
        }
        let outer = takesJob
        takesJob = true
        body()
        takesJob = outer
    }
}
