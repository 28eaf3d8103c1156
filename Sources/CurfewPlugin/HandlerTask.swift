// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// One launch of a handler, as the handler sees it.
///
/// May be used from any thread. It is valid until `run` has ended; a copy that is kept longer
/// behaves like a task that is over. Its functions do not block, except those that submit and
/// cancel requests.
public struct HandlerTask: Sendable {
    let run: TaskRun

    /// The number of this launch, unique in its host; for log lines.
    public var id: UInt64 { run.id }
    /// The identifier under which the handler was launched.
    public var identifier: String { run.identifier }
    /// The kind of the handler, from the manifest.
    public var kind: TaskKind { run.kind }
    /// The number of the attempt of a request, from 1.
    public var attempt: Int { run.attempt }
    /// The time that the task may use.
    public var budget: Duration { run.budget }
    /// The time that the task has to complete after expiration.
    public var grace: Duration { run.grace }

    /// A copy of the payload; empty if there is none.
    public var payload: [UInt8] { withPayload { Array($0) } }

    /// Passes the payload to `body` without a copy.
    ///
    /// The bytes are valid inside `body` only; `run` cannot end meanwhile. An empty payload, and
    /// that of a task that is over, is an empty buffer.
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

    /// The rest of the budget; zero once the task should stop.
    public var remaining: Duration {
        run.asking(else: .zero) { api, id in
            .nanoseconds(Int64(clamping: api.pointee.remaining_ns(api, id)))
        }
    }

    /// Whether the task should stop. It is cheap: check it in any loop that does not `await`.
    public var isExpired: Bool {
        run.asking(else: true) { api, id in api.pointee.is_expired(api, id) }
    }

    /// The reason why the task was stopped; nil if it was not.
    public var reason: StopReason? {
        StopReason(
            reported: run.asking(else: run.lastReason) { _, _ in run.info()?.reason ?? 0 })
    }

    /// Reports the task's progress to the host, which raises its `…_progress` event.
    ///
    /// Never fails: a report that the host cannot accept is dropped.
    ///
    /// - Parameters:
    ///   - progress: a fraction, limited to 0…1; NaN counts as 0.
    ///   - text: a text for people, of which at most 1 KiB is kept.
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
    /// - Throws: `HostRefusal`. A handler may ignore one whose code is `.busy`.
    public func raise(_ event: String, _ values: EventValue...) throws(HostRefusal) {
        let status = EventValue.withForeign(values) { values, count in
            run.asking(else: curfew_status(CURFEW_STALE)) { api, id in
                event.withCString { api.pointee.raise(api, id, $0, values, count) }
            }
        }
        if let refusal = HostRefusal(status, asked: "raise the event '\(event)'") { throw refusal }
    }

    /// Writes a line to the host's log, of which at most 4 KiB are kept.
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
