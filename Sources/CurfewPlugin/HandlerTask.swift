// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// One launch of a handler, as the handler sees it.
///
/// May be used from every thread. It is good until `run` has ended; a copy that is kept longer does
/// no harm: it then answers as for a task that is over. None of its functions blocks, but for those
/// that submit and cancel requests.
public struct HandlerTask: Sendable {
    let run: TaskRun

    /// The number of this launch, unique in its host; for log lines.
    public var id: UInt64 { run.id }
    /// The identifier the handler was launched under.
    public var identifier: String { run.identifier }
    /// What its handler is for, as the manifest says.
    public var kind: TaskKind { run.kind }
    /// 1 for the first launch of a request, then 2, …
    public var attempt: Int { run.attempt }
    /// How much time the task was given.
    public var budget: Duration { run.budget }
    /// How much time it has, once told to stop, to do so.
    public var grace: Duration { run.grace }

    /// A copy of the bytes the task was launched with; empty when there are none.
    public var payload: [UInt8] { withPayload { Array($0) } }

    /// Lends the bytes the task was launched with, without a copy.
    ///
    /// The bytes are valid inside `body` only, and `run` cannot end meanwhile. An empty payload,
    /// and that of a task that is over, is an empty buffer.
    public func withPayload<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard run.enter() else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        defer { run.leave() }
        let info = run.info()
        return try body(
            UnsafeRawBufferPointer(
                start: info?.payload, count: info.map { Int(clamping: $0.payload_bytes) } ?? 0))
    }

    /// How much of the budget is left; zero once the task should stop.
    public var remaining: Duration {
        run.asking(else: .zero) { api, id in
            .nanoseconds(Int64(clamping: api.pointee.remaining_ns(api, id)))
        }
    }

    /// True once the task should stop. Cheap: ask in any loop that does not `await`.
    public var isExpired: Bool {
        run.asking(else: true) { api, id in api.pointee.is_expired(api, id) }
    }

    /// Why the task was told to stop; nil while it was not.
    public var reason: StopReason? {
        StopReason(
            reported: run.asking(else: run.lastReason) { _, _ in run.info()?.reason ?? 0 })
    }

    /// Tells the host how far the task is, which raises its `…_progress` event.
    ///
    /// Never fails: a progress that the host cannot take is not worth an error.
    ///
    /// - Parameters:
    ///   - progress: a fraction in 0…1. What is outside counts as the nearer end, NaN as 0.
    ///   - text: for people; at most 1 KiB is kept.
    public func report(progress: Double, _ text: String = "") {
        let fraction = progress > 0 ? min(progress, 1) : 0
        var text = text
        text.withUTF8 { bytes in
            run.asking(else: ()) { api, id in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    _ = api.pointee.progress(
                        api, id, fraction, bytes.baseAddress, UInt64(bytes.count))
                }
            }
        }
    }

    /// Queues an event that the manifest declares for this handler, with exactly its parameters.
    ///
    /// - Throws: `HostRefusal`, which a handler may well ignore when its code is `.busy`.
    public func raise(_ event: String, _ values: EventValue...) throws(HostRefusal) {
        let status = EventValue.withForeign(values) { values, count in
            run.asking(else: curfew_status(CURFEW_STALE)) { api, id in
                event.withCString { api.pointee.raise(api, id, $0, values, count) }
            }
        }
        if let refusal = HostRefusal(status, asked: "raise the event '\(event)'") { throw refusal }
    }

    /// Writes a line to the host's log; at most 4 KiB are kept.
    public func log(_ level: LogLevel, _ line: String) {
        var line = line
        line.withUTF8 { bytes in
            run.asking(else: ()) { api, id in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    guard let text = bytes.baseAddress else { return }
                    api.pointee.log(api, id, level.rawValue, text, UInt64(bytes.count))
                }
            }
        }
    }
}
