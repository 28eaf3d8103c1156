// SPDX-License-Identifier: Apache-2.0
import Runner

/// Runs Swift tasks on the thread that turns a host's event loop, in their turn among the events.
package final class LoopExecutor: TaskExecutor, @unchecked Sendable {
    // Sendable: `takesJob` is touched on the loop's thread alone.

    private let runtime: HostRuntime
    /// The next job is not queued but run where it is brought: it is what the loop is about to
    /// resume, and nothing may come in between.
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

    /// On the loop's thread the one task that `body` starts or resumes runs at once, up to its next
    /// pause; elsewhere it is queued.
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
