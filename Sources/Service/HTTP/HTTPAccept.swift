// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// The media types that a client takes, as `Accept` of RFC 9110 has them.
package struct HTTPAccept {
    private let ranges: [(type: String, weight: Double)]

    /// - Parameter text: the value of the field; nil: the client has sent none.
    package init(_ text: String?) {
        ranges = (text ?? "").lowercased().parts(at: ",").map { range in
            let parts = range.parts(at: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return (type: parts[0], weight: weight.flatMap { Double(String($0)) } ?? 1)
        }
    }

    /// How much it wants a type that it names, or a range such as `text/*`; nil if it names none of that name.
    package func weight(_ type: String) -> Double? {
        ranges.filter { $0.type == type }.map(\.weight).max()
    }
}
