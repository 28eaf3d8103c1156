// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// A request to launch a handler of the plugin after a date, under conditions.
public struct LaunchRequest: Hashable, Sendable {
    /// The identifier of the handler.
    public var identifier: String
    /// The earliest launch date; nil for as soon as possible.
    public var notBefore: Instant?
    /// The shortest time from the submission to the launch, on the host's clock; nil for none. The
    /// host refuses a request that has `notBefore` as well.
    public var after: Duration?
    /// The latest launch date, after which the request is missed; nil for no limit.
    public var deadline: Instant?
    /// Whether its launch and its task require a network.
    public var requiresNetwork = false
    /// Whether its launch and its task require external power.
    public var requiresExternalPower = false
    /// The maximum number of launches, until one succeeds.
    public var attempts = 1
    /// Whether a pending request of the handler is kept, and this one dropped.
    public var keepsPending = false
    /// The idempotency key, at most 256 bytes: submitting it again returns the existing request.
    public var key: String?
    /// The payload, at most 1 MiB.
    public var payload: [UInt8] = []

    /// Creates a request with one attempt and without conditions.
    public init(
        _ identifier: String, notBefore: Instant? = nil, after: Duration? = nil,
        payload: [UInt8] = []
    ) {
        self.identifier = identifier
        self.notBefore = notBefore
        self.after = after
        self.payload = payload
    }

    /// Passes the options of the C interface to `body`.
    ///
    /// - Parameter trace: the place in a trace that it goes on with.
    func withOptions<Result>(
        trace: String?, _ body: (curfew_submit_options) -> Result
    ) -> Result {
        var options = curfew_submit_options()
        options.struct_size = UInt32(MemoryLayout<curfew_submit_options>.size)
        options.earliest_ns = notBefore?.nanosecondsSince1970 ?? 0
        options.after_ns = after?.inNanoseconds ?? 0
        options.latest_ns = deadline?.nanosecondsSince1970 ?? 0
        if requiresNetwork { options.needs |= curfew_needs(CURFEW_NEEDS_NETWORK) }
        if requiresExternalPower { options.needs |= curfew_needs(CURFEW_NEEDS_EXTERNAL_POWER) }
        options.attempts = UInt32(clamping: attempts)
        if keepsPending { options.on_pending = curfew_on_pending(CURFEW_ON_PENDING_KEEP) }
        return payload.withUnsafeBytes { bytes in
            options.payload = bytes.isEmpty ? nil : bytes.baseAddress
            options.payload_bytes = UInt64(bytes.count)
            return Self.withText(key) { key in
                Self.withText(trace) { trace in
                    (options.key, options.trace) = (key, trace)
                    return body(options)
                }
            }
        }
    }

    private static func withText<Result>(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }
}
