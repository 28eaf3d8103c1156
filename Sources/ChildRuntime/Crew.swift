// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import PluginBridge

/// Threads that take work which the host offers, as many as are needed at a time.
///
/// While one of them is inside foreign code, another one waits, unless the limit is reached.
final class Crew<Work>: @unchecked Sendable {
    // Sendable: the counts are locked, the rest is constant.

    private struct State {
        var threads = 0
        var busy = 0
    }

    private let limit: Int
    private let bell: Bell
    private let cores: CoreSharing
    private let take: () -> Work?
    private let hasWork: () -> Bool
    private let run: (Work) -> Void
    private let begin: () -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - bell: rung by the host once there is work.
    ///   - begin: called by each thread first.
    init(
        limit: Int, _ bell: Bell, begin: @escaping () -> Void, hasWork: @escaping () -> Bool,
        take: @escaping () -> Work?, run: @escaping (Work) -> Void
    ) {
        self.limit = max(1, limit)
        self.bell = bell
        cores = CoreSharing()
        self.begin = begin
        self.hasWork = hasWork
        self.take = take
        self.run = run
    }

    /// Starts the first thread. Returns false when there can be none.
    func start() -> Bool {
        state.withLock { $0.threads += 1 }
        return addThread()
    }

    private func addThread() -> Bool {
        if ThreadBody.start({ self.work() }) { return true }
        state.withLock { $0.threads -= 1 }
        return false
    }

    private func work() {
        begin()
        while true {
            guard let work = take() else {
                rest()
                continue
            }
            let needsAnother = state.withLock { state in
                state.busy += 1
                guard state.busy == state.threads, state.threads < limit else { return false }
                state.threads += 1
                return true
            }
            if needsAnother { _ = addThread() }
            run(work)
            state.withLock { $0.busy -= 1 }
        }
    }

    private func rest() {
        if cores.poll(hasWork) { return }
        let rings = bell.announce()
        if hasWork() { return bell.cancel(since: rings) }
        bell.sleep(since: rings)
    }
}
