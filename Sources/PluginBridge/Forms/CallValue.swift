// SPDX-License-Identifier: Apache-2.0

/// A value that a called function returned or wrote.
enum CallValue: Equatable {
    case bool(Bool)
    case signed(Int64)
    case unsigned(UInt64)
    case single(Float)
    case double(Double)
    /// The bytes without the NUL, unchanged: they need not be UTF-8.
    case text([UInt8])
    /// A null pointer where a text was due.
    case noText

    /// The maximum number of bytes of a text.
    static let textLimit = 16 << 20

    /// Zero, false or a null pointer.
    var isZero: Bool {
        switch self {
        case .bool(let flag): !flag
        case .signed(let number): number == 0
        case .unsigned(let number): number == 0
        case .single(let number): number == 0
        case .double(let number): number == 0
        case .text: false
        case .noText: true
        }
    }

    var isNegative: Bool {
        if case .signed(let number) = self { return number < 0 }
        return false
    }

    /// The value as a length; nil if it cannot be one.
    var count: Int? {
        switch self {
        case .signed(let number): number >= 0 ? Int(exactly: number) : nil
        case .unsigned(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The value as the result of a task; nil if it is a null pointer.
    var bytes: [UInt8]? {
        switch self {
        case .text(let bytes): bytes
        case .noText: nil
        default: Array(shown.utf8)
        }
    }

    /// The value in messages; numbers also in results.
    var shown: String {
        switch self {
        case .bool(let flag): "\(flag)"
        case .signed(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .single(let number): "\(number)"
        case .double(let number): "\(number)"
        case .text(let bytes): DiagnosticText.quoted(String(decoding: bytes, as: UTF8.self))
        case .noText: "a null pointer"
        }
    }
}
