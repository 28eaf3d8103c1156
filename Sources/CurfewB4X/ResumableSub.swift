// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Runner
import Scheduling

/// One running instance of a resumable sub, which completes with a value.
///
/// It runs to its end whether or not this object is kept, and whether or not code waits for it.
public final class ResumableSub<Value: Sendable>: Sendable {
    /// Its number in its target, where it is the sender of its completion event.
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
        // The sub returns once. If the target is closed meanwhile, the waits for it end with
        // `.closing`.
        try? target.engine.finishResumable(
            number, value.map { EventValue(completing: $0) }, failure: error)
    }

    /// Returns the value of the sub after its completion is delivered, at most `limit` later on the
    /// host's clock.
    ///
    /// Rethrows the error of the sub. Throws `CurfewError` with `.already` if it completed before,
    /// `.timedOut` or `.closing`, and `CancellationError` if a newer call of `complete` took this
    /// one's place or this Swift task is cancelled.
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
    /// Creates the value of the completion event: the value itself if an event can carry it,
    /// otherwise its description.
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
