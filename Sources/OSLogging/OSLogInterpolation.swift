// SPDX-License-Identifier: Apache-2.0

/// Collects the text of a line. The compiler calls it for the values of an `OSLogMessage`.
public struct OSLogInterpolation: StringInterpolationProtocol {
    /// The text as far as it is collected.
    public private(set) var text: String

    /// Begins a text.
    public init(literalCapacity: Int, interpolationCount: Int) {
        text = ""
        text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Appends text of the program.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    private mutating func append(
        _ value: String, _ align: OSLogStringAlignment, _ privacy: OSLogPrivacy,
        isNumber: Bool = true
    ) {
        text += privacy.shown(align.aligned(value), isNumber: isNumber)
    }

    /// Appends a whole number.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> some FixedWidthInteger,
        format: OSLogIntegerFormatting = .decimal, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) { append(format.text(number()), align, privacy) }

    /// Appends a number with six digits behind the point.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> some BinaryFloatingPoint,
        format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) { append(format.text(Double(number())), align, privacy) }

    /// Appends `true` or `false`.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure () -> Bool, privacy: OSLogPrivacy = .auto
    ) { append(boolean() ? "true" : "false", .none, privacy) }

    /// Appends a type's name.
    public mutating func appendInterpolation(
        _ type: @autoclosure () -> Any.Type, privacy: OSLogPrivacy = .auto
    ) { append("\(type())", .none, privacy) }

    /// Appends a string.
    public mutating func appendInterpolation(
        _ string: @autoclosure () -> String, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) { append(string(), align, privacy, isNumber: false) }

    /// Appends any other value by its description. Without the attribute numbers would use it as
    /// well, since it has fewer parameters.
    @_disfavoredOverload
    public mutating func appendInterpolation<Value>(
        _ value: @autoclosure () -> Value, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) { append(String(describing: value()), align, privacy, isNumber: false) }
}
