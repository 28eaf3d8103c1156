// SPDX-License-Identifier: Apache-2.0

/// A query as the server prepares it. One of rows has a form for each set of columns that differ among its rows: what is
/// the same in all of them is one value, which costs the server nothing a row.
struct PostgresStatement: Hashable {
    let query: PostgresQuery
    /// A bit for each column with a value for each row, the first column's lowest. The keys have always one.
    let varying: UInt64

    /// A query that is not one of rows, or one whose columns all differ.
    init(_ query: PostgresQuery) { self.init(query, varying: .max) }

    init(_ query: PostgresQuery, varying: UInt64) { (self.query, self.varying) = (query, varying) }

    var text: String { query.text(varying: varying) }
    var name: String {
        let name = "q\(query.rawValue)"
        return varying == .max ? name : "\(name)_\(String(varying, radix: 16))"
    }
}
