// SPDX-License-Identifier: Apache-2.0

/// The text of a line, as a string literal. Interpolated strings and objects are replaced by
/// `<private>` unless they are said to be public, as in Apple's logs; numbers are shown.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
    /// The text.
    public let interpolation: OSLogInterpolation

    /// Takes a text without values.
    public init(stringLiteral value: String) {
        var interpolation = OSLogInterpolation(
            literalCapacity: value.utf8.count, interpolationCount: 0)
        interpolation.appendLiteral(value)
        self.interpolation = interpolation
    }

    /// Takes a text with values.
    public init(stringInterpolation: OSLogInterpolation) { interpolation = stringInterpolation }
}
