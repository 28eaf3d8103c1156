// SPDX-License-Identifier: Apache-2.0

/// The values of several rows, column by column, in PostgreSQL's form of arrays: one statement inserts or
/// changes all of them.
final class PostgresColumns: RowSink {
    private var columns: [[UInt8]]
    private var next = 0
    private(set) var count = 0

    /// - Parameter width: the number of columns of a row; each row puts that many values.
    init(width: Int) { columns = Array(repeating: [UInt8(ascii: "{")], count: width) }

    var finished: [[UInt8]] { columns.map { $0 + [UInt8(ascii: "}")] } }

    private func put(_ write: (inout [UInt8]) -> Void) {
        if count > 0 { columns[next].append(UInt8(ascii: ",")) }
        write(&columns[next])
        next += 1
        guard next == columns.count else { return }
        next = 0
        count += 1
    }

    func put(_ value: Int64) { put { $0 += "\(value)".utf8 } }
    func put(_ value: Double) { put { $0 += "\(value)".utf8 } }
    func putNothing() { put { $0 += "NULL".utf8 } }

    func put(_ text: String) {
        put { column in
            column.append(UInt8(ascii: "\""))
            for byte in PostgresValues.storable(text).utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    column.append(UInt8(ascii: "\\"))
                }
                column.append(byte)
            }
            column.append(UInt8(ascii: "\""))
        }
    }

    func put(_ bytes: [UInt8]) {
        put { column in
            // The backslash is escaped once more inside an array.
            column += [UInt8(ascii: "\""), UInt8(ascii: "\\")]
            PostgresValues.append(bytes, to: &column)
            column.append(UInt8(ascii: "\""))
        }
    }
}
