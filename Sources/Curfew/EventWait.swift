// SPDX-License-Identifier: Apache-2.0
import PluginBridge
public import Runner

/// An expected event. The wait ends when the last reference is released.
public final class EventWait: Sendable {
    private let expectation: Expectation
    private let host: Host

    init(_ expectation: Expectation, _ host: Host) {
        self.expectation = expectation
        self.host = host
    }

    deinit {
        host.runtime.loop.giveUp(expectation, BridgeError(.notFound, "the wait was given up"))
    }

    /// Returns the event once it comes, at most `limit` of real time from now. Later calls return
    /// the same event.
    ///
    /// Throws `CurfewError` with `.timedOut` or `.closing`, and `CancellationError` if a newer wait
    /// took this one's place or this Swift task is cancelled. Each of these errors ends the wait
    /// for all callers.
    public func event(within limit: Duration? = nil) async throws -> HostEvent {
        let timer = limit.map { limit in
            Task {
                try await Task.sleep(for: limit)
                host.runtime.loop.giveUp(
                    expectation,
                    BridgeError(.timedOut, "the event did not come within \(limit)"))
            }
        }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await uncancelled()
        } onCancel: {
            host.runtime.loop.giveUp(
                expectation, BridgeError(.replaced, "the waiting task was cancelled"))
        }
    }

    private func uncancelled() async throws -> HostEvent {
        let result = await withCheckedContinuation { continuation in
            expectation.whenSettled { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let event): return event
        case .failure(let error):
            if error.status == .replaced { throw CancellationError() }
            throw CurfewError(error)
        }
    }
}
