// SPDX-License-Identifier: Apache-2.0

/// A value that a called function returned or wrote.
enum CallValue: Equatable {
    case bool(Bool)
    case signed(Int64)
    case unsigned(UInt64)
    case single(Float)
    case double(Double)
    /// Without its NUL, as it is: it need not be UTF-8.
    case text([UInt8])
    /// A null pointer where a text was due.
    case noText

    /// Bytes of a text that are looked at.
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

    /// As a length; nil when it cannot be one.
    var count: Int? {
        switch self {
        case .signed(let number): number >= 0 ? Int(exactly: number) : nil
        case .unsigned(let number): Int(exactly: number)
        default: nil
        }
    }

    /// As the result of a task; nil where there is no text.
    var bytes: [UInt8]? {
        switch self {
        case .text(let bytes): bytes
        case .noText: nil
        default: Array(shown.utf8)
        }
    }

    /// As it stands in messages, and numbers in results.
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
