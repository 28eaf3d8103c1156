// SPDX-License-Identifier: Apache-2.0
internal import CPostgres

/// What the server has answered to a statement, once the pipeline was synchronized.
final class PostgresAnswer {
    private(set) var result: OpaquePointer?
    let query: PostgresQuery?

    init(_ query: PostgresQuery?) { self.query = query }

    deinit { if let result { cpg_result_free(result) } }

    func take(_ result: OpaquePointer) { self.result = result }

    /// The number of rows that it returned.
    var count: Int { result.map { Int(cpg_result_rows($0)) } ?? 0 }

    /// The number of rows that it changed.
    var changes: Int { result.map { Int(cpg_result_changed($0)) } ?? 0 }

    subscript(row: Int) -> PostgresRow {
        precondition(row < count)
        return PostgresRow(answer: self, row: Int32(row))
    }

    var rows: some Sequence<PostgresRow> { (0..<count).lazy.map { self[$0] } }
}

/// A row of an answer, with its values as texts.
struct PostgresRow: StoredRow {
    fileprivate let answer: PostgresAnswer
    fileprivate let row: Int32

    private func value(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = UnsafeRawPointer(cpg_result_value(answer.result, row, column)!)
        let count = Int(cpg_result_bytes(answer.result, row, column))
        return UnsafeBufferPointer(
            start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }

    func isNull(_ column: Int32) -> Bool { cpg_result_is_null(answer.result, row, column) }

    func integer(_ column: Int32) -> Int64 {
        let digits = value(column)
        var (number, place) = (Int64(0), 0)
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { place = 1 }
        while place < digits.count, (48...57).contains(digits[place]) {
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.subtractingReportingOverflow(Int64(digits[place] - 48))
            guard !overflow, !isTooLarge else { return 0 }
            number = sum
            place += 1
        }
        guard place == digits.count else { return 0 }
        // Counted downwards, because the smallest number has no positive one.
        return isNegative ? number : number == .min ? 0 : -number
    }

    func real(_ column: Int32) -> Double {
        Double(String(decoding: value(column), as: UTF8.self)) ?? .nan
    }

    func text(_ column: Int32) -> String? {
        isNull(column) ? nil : String(validating: value(column), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        let text = value(column)
        guard text.count >= 2, text[0] == UInt8(ascii: "\\"), text[1] == UInt8(ascii: "x") else {
            return []
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var place = 2
        while place + 1 < text.count {
            bytes.append(Self.digit(text[place]) << 4 | Self.digit(text[place + 1]))
            place += 2
        }
        return bytes
    }

    private static func digit(_ letter: UInt8) -> UInt8 {
        letter >= 97 ? letter &- 87 : letter &- 48
    }
}
