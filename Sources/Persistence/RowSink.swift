// SPDX-License-Identifier: Apache-2.0

/// Takes the values of a row, one column after the other.
protocol RowSink {
    func put(_ value: Int64)
    func put(_ value: Double)
    func put(_ text: String)
    func put(_ bytes: [UInt8])
    func putNothing()
}

extension RowSink {
    func put(_ value: Int64?) {
        guard let value else { return putNothing() }
        put(value)
    }

    func put(_ text: String?) {
        guard let text else { return putNothing() }
        put(text)
    }
}
