// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues

/// A call of `application(_:performFetchWithCompletionHandler:)`, which keeps the app running until
/// it is over. It lives as long as its completion handler.
final class Fetch: @unchecked Sendable {
    // Sendable: the table may be used from any thread; what changes is behind the lock.
    private let task: curfew_task
    private let api: UnsafePointer<curfew_host_api>
    private let life = Locked(FetchLifeStateMachine())

    init(_ task: curfew_task, _ api: UnsafePointer<curfew_host_api>) {
        self.task = task
        self.api = api
        ProcessAssertions.shared.wake()
    }

    /// Completes the fetch: only the first result counts.
    func complete(_ result: UIBackgroundFetchResult) {
        guard let kept = life.withLock({ $0.complete() }) else { return }
        FetchHandler.forget(task)
        let status = curfew_status(result == .failed ? CURFEW_FAILED : CURFEW_OK)
        let text = "performFetch: .failed"
        text.withCString {
            _ = api.pointee.complete(
                api, task, status, result == .failed ? $0 : nil,
                result == .failed ? UInt64(text.utf8.count) : 0, nil, 0)
        }
        if kept { ProcessAssertions.shared.rest() }
    }

    /// Its time is up.
    func expire() {
        guard life.withLock({ $0.expire() }) else { return }
        AppHost.shared.log(
            .error,
            "the completion handler of performFetch was not called in time; on a phone the app would be terminated, and it is launched less often from now on"
        )
        ProcessAssertions.shared.rest()
    }

    /// No code can complete the fetch any more: it lasts until the host's time limit.
    deinit {
        guard let kept = life.withLock({ $0.complete() }) else { return }
        FetchHandler.forget(task)
        guard kept else { return }
        AppHost.shared.log(
            .error,
            "the completion handler of performFetch was dropped without being called; on a phone the app would be terminated, and it is launched less often from now on"
        )
        ProcessAssertions.shared.rest()
    }
}
