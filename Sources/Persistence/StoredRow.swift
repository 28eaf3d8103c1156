// SPDX-License-Identifier: Apache-2.0

/// A row of a result, whose values are asked for by their columns, from 0.
///
/// A value of another type than the one that is asked for is converted, or is 0, nil or empty: `RowReader`
/// says what a valid one is.
protocol StoredRow {
    func integer(_ column: Int32) -> Int64
    func real(_ column: Int32) -> Double
    func isNull(_ column: Int32) -> Bool
    /// Returns nil if the value is no text.
    func text(_ column: Int32) -> String?
    func bytes(_ column: Int32) -> [UInt8]
}
