// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Runner
import Scheduling

/// One call of a sub that may pause: its instance, which completes with a value.
///
/// It goes on whether or not somebody waits for it, and whether or not this is kept.
public final class ResumableSub<Value: Sendable>: Sendable {
    /// By which its target knows it, the sender of its completion.
    public let number: UInt64
    private let target: Target
    private let result = Locked<Result<Value, any Error>?>(nil)

    init(number: UInt64, _ target: Target) {
        self.number = number
        self.target = target
    }

    func run(_ body: @Sendable () async throws -> Value) async {
        do { finish(.success(try await body()), nil) } catch { finish(.failure(error), error) }
    }

    private func finish(_ outcome: Result<Value, any Error>, _ error: (any Error)?) {
        result.withLock { $0 = outcome }
        let value = try? outcome.get()
        // It returns once; that the target is closed meanwhile is told to those who wait.
        try? target.engine.finishResumable(
            number, value.map { EventValue(completing: $0) }, failure: error)
    }

    /// The value it returned, once its completion is delivered, at most `limit` of the host's clock.
    ///
    /// Rethrows what came out of the sub. Throws `CurfewError` with `.already` when it has completed
    /// before, `.timedOut` or `.closing`, and `CancellationError` when a newer call of `complete` took
    /// this one's place or this Swift task is cancelled.
    @discardableResult
    public func complete(within limit: Duration? = nil) async throws -> Value {
        _ = try await target.suspend { [target, number] settle throws(BridgeError) in
            try target.engine.waitForCompletion(
                of: number, limit: limit?.inNanoseconds, settle: settle)
        }
        guard let result = result.withLock({ $0 }) else {
            preconditionFailure("a resumable sub completed before it returned")
        }
        return try result.get()
    }
}

extension EventValue {
    /// What others see of the value of a resumable sub: itself where an event can carry it, else its
    /// description.
    fileprivate init(completing value: some Any) {
        switch value {
        case let value as EventValue: self = value
        case let flag as Bool: self = .bool(flag)
        case let number as Int32: self = .int32(number)
        case let number as Int64: self = .int64(number)
        case let number as Int: self = .int64(Int64(number))
        case let number as Double: self = .double(number)
        case let text as String: self = .text(text)
        case is Void: self = .bool(true)
        default: self = .text("\(value)")
        }
    }
}
