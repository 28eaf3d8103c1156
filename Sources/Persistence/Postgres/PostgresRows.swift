// SPDX-License-Identifier: Apache-2.0

/// The values of rows in PostgreSQL's binary form: of one row as they are, of several as an array for each column, so
/// that one statement inserts or changes all of them.
///
/// A column that has the same value in each row, and is not the first, is an array of one: most of what many requests say
/// is the same.
final class PostgresRows: RowSink {
    /// The values of a column, each with its length before it.
    private struct Column {
        let type: PostgresSchema.ValueType
        /// Whether its array has a value for each row, also where all are the same.
        let isWhole: Bool
        var bytes: [UInt8] = []
        /// The bytes of the first value, while all are like it; else 0.
        var same = 0
        var hasNull = false

        /// Takes in a value that was appended for a row, of which the first has the number 0.
        mutating func end(_ start: Int, row: Int) {
            guard row > 0 else {
                same = isWhole ? 0 : bytes.count
                return
            }
            guard same > 0 else { return }
            let isSame =
                bytes.count - start == same
                && bytes.withUnsafeBytes {
                    UnsafeRawBufferPointer(rebasing: $0[..<same])
                        .elementsEqual(UnsafeRawBufferPointer(rebasing: $0[start...]))
                }
            if isSame {
                bytes.removeLast(same)
            } else {
                repeatFirst(row, before: start)
                same = 0
            }
        }

        /// There is one value for `rows` rows, and another one after it.
        private mutating func repeatFirst(_ rows: Int, before start: Int) {
            let last = Array(bytes[start...])
            bytes.removeLast(last.count)
            bytes.reserveCapacity(2 * (rows * same + last.count))
            for _ in 1..<max(rows, 1) { bytes.append(contentsOf: bytes[..<same]) }
            bytes += last
        }

        mutating func put(length: Int) { put(UInt32(bitPattern: Int32(length))) }

        mutating func put<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
        }
    }

    private let types: [PostgresSchema.Column]
    /// Takes the values of the only row at once.
    private let values: PostgresValues?
    private var columns: [Column] = []
    private var next = 0
    private var count = 0

    /// - Parameter columns: those of a row; each row puts that many values, in that order.
    init(_ columns: [PostgresSchema.Column]) {
        (types, values) = (columns, nil)
        self.columns = columns.enumerated().map {
            Column(type: $0.element.value, isWhole: $0.offset == 0)
        }
    }

    /// For one row, which is appended to the values of a statement.
    init(one columns: [PostgresSchema.Column], of values: PostgresValues) {
        (types, self.values) = (columns, values)
    }

    private func end(_ start: Int) {
        columns[next].end(start, row: count)
        next += 1
        guard next == columns.count else { return }
        next = 0
        count += 1
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

    private func put(_ value: UnsafeRawBufferPointer) {
        if let values {
            values.put(binary: value)
            next += 1
            return
        }
        let start = columns[next].bytes.count
        columns[next].put(length: value.count)
        columns[next].bytes.append(contentsOf: value)
        end(start)
    }

    func putNothing() {
        if let values {
            values.putNothing()
            next += 1
            return
        }
        let start = columns[next].bytes.count
        columns[next].put(length: -1)
        columns[next].hasNull = true
        end(start)
    }

    // MARK: What is sent

    /// Calls a function with the parts of each column's array.
    func forEachArray(_ body: (_ head: [UInt8], _ values: [UInt8]) -> Void) {
        for column in columns {
            var head = Column(type: column.type, isWhole: true)
            // One dimension, whether there are nulls, the type of the values; their number, and that of the first.
            head.put(UInt32(1))
            head.put(UInt32(column.hasNull ? 1 : 0))
            head.put(column.type.number)
            head.put(UInt32(column.same > 0 ? 1 : count))
            head.put(UInt32(1))
            body(head.bytes, column.bytes)
        }
    }
}
