// SPDX-License-Identifier: Apache-2.0
import PluginBridge
public import Runner

/// An expected event. Given up when the last reference goes.
public final class EventWait: Sendable {
    private let expectation: Expectation
    private let host: Host

    init(_ expectation: Expectation, _ host: Host) {
        self.expectation = expectation
        self.host = host
    }

    deinit { giveUp() }

    func giveUp() {
        host.runtime.giveUp(expectation, BridgeError(.notFound, "the wait was given up"))
    }

    /// The event, once it comes. Throws `CurfewError` with `.timedOut` or `.closing`, and
    /// `CancellationError` when a newer wait took this one's place or this Swift task is cancelled.
    public func event(within limit: Duration? = nil) async throws -> HostEvent {
        try await withThrowingTaskGroup(of: HostEvent?.self) { group in
            group.addTask {
                try await withTaskCancellationHandler {
                    try await self.uncancelled()
                } onCancel: {
                    self.host.runtime.giveUp(
                        self.expectation, BridgeError(.replaced, "the waiting task was cancelled"))
                }
            }
            if let limit {
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
            }
            defer { group.cancelAll() }
            guard let event = try await group.next() ?? nil else {
                throw CurfewError(.timedOut, "the event did not come within \(limit ?? .zero)")
            }
            return event
        }
    }

    func uncancelled() async throws -> HostEvent {
        let result = await withCheckedContinuation { continuation in
            host.runtime.whenSettled(expectation) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let event): return event
        case .failure(let error):
            if error.status == .replaced { throw CancellationError() }
            throw CurfewError(error)
        }
    }
}
