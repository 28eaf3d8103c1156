// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The values of rows in PostgreSQL's binary form, so that one statement inserts or changes all of them.
///
/// A column that has the same value in each row, and is no key, is that one value, since most of what many requests say is
/// the same; each other one is an array.
final class PostgresRows: RowSink {
    /// The values of a column, each with its length before it.
    private struct Column {
        let type: PostgresSchema.ValueType
        /// Whether it is an array also where all values are the same.
        let isWhole: Bool
        var bytes: [UInt8] = []
        /// The bytes of the first value, while all are like it; else 0.
        var same = 0
        var hasNull = false

        /// Takes in the value of a row, of which the first has the number 0; nil for nothing.
        mutating func append(_ value: UnsafeRawBufferPointer?, row: Int) {
            if same > 0 {
                if isFirst(value) { return }
                expand(row)
            }
            if let value {
                put(UInt32(value.count))
                bytes.append(contentsOf: value)
            } else {
                put(UInt32.max)
                hasNull = true
            }
            if row == 0, !isWhole { same = bytes.count }
        }

        /// Whether a value is like all before it.
        private func isFirst(_ value: UnsafeRawBufferPointer?) -> Bool {
            guard let value else { return hasNull }
            guard !hasNull, same == 4 + value.count else { return false }
            guard let start = value.baseAddress else { return true }
            return bytes.withUnsafeBytes { memcmp($0.baseAddress! + 4, start, value.count) == 0 }
        }

        /// Becomes an array of `rows` values.
        mutating func expand(_ rows: Int) {
            guard same > 0 else { return }
            let first = bytes
            bytes.reserveCapacity(2 * (rows + 1) * same)
            for _ in 1..<max(rows, 1) { bytes.append(contentsOf: first) }
            same = 0
        }

        mutating func put(_ value: UInt32) {
            withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
        }
    }

    private let types: [PostgresSchema.Column]
    /// Takes the values of the only row at once.
    private let values: PostgresValues?
    private var columns: [Column] = []
    private var next = 0
    private var count = 0

    /// - Parameters:
    ///   - columns: those of a row; each row puts that many values, in that order.
    ///   - keys: how many of the first are always arrays.
    init(_ columns: [PostgresSchema.Column], keys: Int) {
        (types, values) = (columns, nil)
        self.columns = columns.enumerated().map {
            Column(type: $0.element.value, isWhole: $0.offset < keys)
        }
    }

    /// For one row, which is appended to the values of a statement.
    init(one columns: [PostgresSchema.Column], of values: PostgresValues) {
        (types, self.values) = (columns, values)
    }

    func put(_ value: Int64) {
        guard types[next].value == .small else { return put(number: value) }
        guard let small = Int16(exactly: value) else {
            fatalError("a column of small numbers cannot have \(value)")
        }
        put(number: small)
    }

    func put(_ value: Double) { put(number: value.bitPattern) }

    private func put<Number: FixedWidthInteger>(number: Number) {
        withUnsafeBytes(of: number.bigEndian) { put($0) }
    }

    func put(_ text: String) {
        var text = PostgresValues.storable(text)
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    func put(_ bytes: [UInt8]) { bytes.withUnsafeBytes { put($0) } }

    func putNothing() { put(nil) }

    /// - Parameter value: nil for nothing.
    private func put(_ value: UnsafeRawBufferPointer?) {
        if let values {
            if let value { values.put(binary: value) } else { values.putNothing() }
            next += 1
            return
        }
        columns[next].append(value, row: count)
        next += 1
        guard next == columns.count else { return }
        next = 0
        count += 1
    }

    // MARK: What is sent

    /// A bit for each column that differs, as in a statement.
    var varying: UInt64 {
        columns.indices.reduce(0) { columns[$1].same > 0 ? $0 : $0 | 1 << UInt64($1) }
    }

    /// Makes an array of each column.
    func expand() {
        for index in columns.indices { columns[index].expand(count) }
    }

    func put(to values: PostgresValues) {
        for column in columns {
            guard column.same > 0 else {
                put(array: column, to: values)
                continue
            }
            // Without its length, which for nothing is -1.
            if column.hasNull {
                values.putNothing()
            } else {
                column.bytes.withUnsafeBytes {
                    values.put(binary: UnsafeRawBufferPointer(rebasing: $0[4...]))
                }
            }
        }
    }

    private func put(array column: Column, to values: PostgresValues) {
        var head = Column(type: column.type, isWhole: true)
        // One dimension, whether there are nulls, the type of the values; their number, and that of the first.
        head.put(1)
        head.put(column.hasNull ? 1 : 0)
        head.put(column.type.number)
        head.put(UInt32(count))
        head.put(1)
        values.put(binary: head.bytes, column.bytes)
    }
}
