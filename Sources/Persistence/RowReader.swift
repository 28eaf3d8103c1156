// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// Reads an untrusted row, which may be damaged: an invalid value is a fault that names the row.
struct RowReader<Row: StoredRow> {
    /// Dates that can be added to without overflow.
    static var dates: ClosedRange<Int64> { 0...9_000_000_000_000_000_000 }

    let statement: Row
    let path: String
    let table: String
    let id: Int64
    private(set) var column: Int32 = 0

    init(_ statement: Row, of table: String, id: Int64, in path: String) {
        self.statement = statement
        self.path = path
        self.table = table
        self.id = id
    }

    func nonsense(_ what: String) -> StoreFault {
        let look =
            PostgresAddress.isAddress(path)
            ? "look at it with psql" : "run `\(StoreDirectory.check(ofDatabase: path))`"
        return StoreFault(
            .corrupt,
            "the store \(path): row \(id) of table \(table) makes no sense, \(what); \(look), or restore a backup"
        )
    }

    private mutating func next() -> Int32 {
        defer { column += 1 }
        return column
    }

    mutating func integer(_ range: ClosedRange<Int64>) throws(StoreFault) -> Int64 {
        let column = next()
        let value = statement.integer(column)
        guard range.contains(value), !isNull(column, value) else {
            throw nonsense("its column \(column + 1) is out of range")
        }
        return value
    }

    /// An absent value is stored as 0.
    private func isNull(_ column: Int32, _ value: Int64) -> Bool {
        value == 0 && statement.isNull(column)
    }

    mutating func optional(_ range: ClosedRange<Int64>) throws(StoreFault) -> Int64? {
        if statement.isNull(column) {
            column += 1
            return nil
        }
        return try integer(range)
    }

    mutating func date() throws(StoreFault) -> Int64 { try integer(Self.dates) }

    mutating func optionalDate() throws(StoreFault) -> Int64? { try optional(Self.dates) }

    mutating func count() throws(StoreFault) -> UInt32 {
        UInt32(try integer(0...Int64(Int32.max)))
    }

    /// Kept by its bits.
    mutating func bits() throws(StoreFault) -> UInt64 {
        UInt64(bitPattern: try integer(.min ... .max))
    }

    mutating func real(_ range: ClosedRange<Double>) throws(StoreFault) -> Double {
        let column = next()
        let value = statement.real(column)
        guard !statement.isNull(column), range.contains(value) else {
            throw nonsense("its column \(column + 1) is out of range")
        }
        return value
    }

    mutating func optionalReal(
        _ range: ClosedRange<Double>
    ) throws(StoreFault) -> Double? {
        if statement.isNull(column) {
            column += 1
            return nil
        }
        return try real(range)
    }

    mutating func text() throws(StoreFault) -> String {
        let column = next()
        guard let text = statement.text(column) else {
            throw nonsense("its column \(column + 1) is no text")
        }
        return text
    }

    mutating func optionalText() throws(StoreFault) -> String? {
        if statement.isNull(column) {
            column += 1
            return nil
        }
        return try text()
    }

    mutating func choice<Choice: RawRepresentable>(
        _ type: Choice.Type
    ) throws(StoreFault) -> Choice where Choice.RawValue: FixedWidthInteger {
        let column = next()
        let value = statement.integer(column)
        guard !isNull(column, value), let raw = Choice.RawValue(exactly: value),
            let choice = Choice(rawValue: raw)
        else { throw nonsense("its column \(column + 1) has an unknown value") }
        return choice
    }

    mutating func optionalChoice<Choice: RawRepresentable>(
        _ type: Choice.Type
    ) throws(StoreFault) -> Choice? where Choice.RawValue: FixedWidthInteger {
        if statement.isNull(column) {
            column += 1
            return nil
        }
        return try choice(type)
    }
}
