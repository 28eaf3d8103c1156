// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// What a plugin asks for: launch one of its handlers, not before…, only when….
public struct LaunchRequest: Hashable, Sendable {
    /// Which of the plugin's handlers.
    public var identifier: String
    /// Never sooner; nil for as soon as it can be.
    public var notBefore: Instant?
    /// Not launched by then, it is missed; nil for no such date.
    public var deadline: Instant?
    /// Launched, and run, only with a network.
    public var requiresNetwork = false
    /// Launched, and run, only with power from outside.
    public var requiresExternalPower = false
    /// Launches in all, until one succeeds.
    public var attempts = 1
    /// Of two requests with the same key the second is the first; at most 256 bytes.
    public var key: String?
    /// At most 1 MiB.
    public var payload: [UInt8] = []

    /// Makes one of what it is given.
    public init(_ identifier: String, notBefore: Instant? = nil, payload: [UInt8] = []) {
        self.identifier = identifier
        self.notBefore = notBefore
        self.payload = payload
    }

    /// Lends the same to C.
    func withOptions<Result>(_ body: (curfew_submit_options) -> Result) -> Result {
        var options = curfew_submit_options()
        options.struct_size = UInt32(MemoryLayout<curfew_submit_options>.size)
        options.earliest_ns = notBefore?.nanosecondsSince1970 ?? 0
        options.latest_ns = deadline?.nanosecondsSince1970 ?? 0
        if requiresNetwork { options.needs |= curfew_needs(CURFEW_NEEDS_NETWORK) }
        if requiresExternalPower { options.needs |= curfew_needs(CURFEW_NEEDS_EXTERNAL_POWER) }
        options.attempts = UInt32(clamping: attempts)
        return payload.withUnsafeBytes { bytes in
            options.payload = bytes.isEmpty ? nil : bytes.baseAddress
            options.payload_bytes = UInt64(bytes.count)
            guard let key else { return body(options) }
            return key.withCString {
                options.key = $0
                return body(options)
            }
        }
    }
}
