// SPDX-License-Identifier: Apache-2.0

/// A place in a trace that goes on from program to program, as the header `traceparent` of
/// https://www.w3.org/TR/trace-context/ has it.
package struct TraceContext: Hashable, Sendable {
    /// The id of the trace, 16 bytes, not all of them 0.
    package let high: UInt64
    package let low: UInt64
    /// The id of the span, not 0.
    package let span: UInt64
    /// Bit 0: whoever began the trace records it.
    package let flags: UInt8

    package init(high: UInt64, low: UInt64, span: UInt64, flags: UInt8) {
        (self.high, self.low, self.flags) = (high, high == 0 && low == 0 ? 1 : low, flags)
        self.span = span == 0 ? 1 : span
    }

    /// Reads `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. Fails as section 3.2 of the recommendation says;
    /// a later version may have more at its end.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let dashes = [2, 35, 52]
        guard bytes.count >= 55, bytes.count == 55 || bytes[55] == UInt8(ascii: "-"),
            dashes.allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let version = Self.number(bytes[0..<2]), version != 0xff,
            version != 0 || bytes.count == 55, let high = Self.number(bytes[3..<19]),
            let low = Self.number(bytes[19..<35]), let span = Self.number(bytes[36..<52]),
            let flags = Self.number(bytes[53..<55]), high != 0 || low != 0, span != 0
        else { return nil }
        self.init(high: high, low: low, span: span, flags: UInt8(flags))
    }

    /// Hexadecimal digits, which have to be in lower case.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte - 87)
            default: return nil
            }
        }
        return number
    }

    /// Whether the trace is recorded: the flag `sampled`.
    package var isRecorded: Bool { flags & 1 != 0 }

    /// The trace in 32 hexadecimal digits, the span in 16.
    package var traceText: String { Self.digits(high, 16) + Self.digits(low, 16) }
    package var spanText: String { Self.digits(span, 16) }
    package var text: String { "00-\(traceText)-\(spanText)-\(Self.digits(UInt64(flags), 2))" }

    private static func digits(_ number: UInt64, _ count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: count - digits.utf8.count) + digits
    }
}

extension Request {
    /// The place in a trace of one launch. It goes on with the trace that the request was submitted with; without one,
    /// the launches for one date are a trace of their own. It can be computed at any time, so that it is not stored.
    ///
    /// - Parameter number: of the attempt, from 1.
    package func trace(ofLaunch launch: UInt64, attempt number: UInt32) -> TraceContext {
        let own = DeterministicRandom.bits(UInt64(bitPattern: submittedAt), id.rawValue)
        let span = DeterministicRandom.bits(own, launch)
        if let given = description.trace {
            return TraceContext(
                high: given.high, low: given.low, span: given.span ^ span, flags: given.flags)
        }
        let date = launch &- UInt64(number)
        return TraceContext(
            high: own, low: DeterministicRandom.bits(~own, date), span: span, flags: 1)
    }
}
