// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Service

/// The query of a call: known names, each once.
struct ControlQuery {
    private var values: [String: String] = [:]

    init(_ target: HTTPTarget, _ known: [String]) throws(HTTPFault) {
        for pair in target.query {
            guard known.contains(pair.name) else {
                let names =
                    known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
                throw HTTPFault(
                    400, "query", "the query has no `\(Shown.line(pair.name))` here", help: [names])
            }
            guard values.updateValue(pair.value, forKey: pair.name) == nil else {
                throw HTTPFault(400, "query", "`\(pair.name)` stands twice in the query")
            }
        }
    }

    subscript(_ name: String) -> String? { values[name] }

    func number(_ name: String, _ range: ClosedRange<UInt64>) throws(HTTPFault) -> UInt64? {
        guard let text = values[name] else { return nil }
        do throws(CommandError) {
            return try NumberArgument.value(text, for: name + "=", range: range)
        } catch {
            throw HTTPFault(400, "query", error.message)
        }
    }

    func request(_ name: String) throws(HTTPFault) -> RequestID? {
        guard let text = values[name] else { return nil }
        guard let id = RequestArgument.parse(text) else {
            throw HTTPFault(
                400, "query", "`\(Shown.line(text))` of `\(name)` is no number of a request")
        }
        return id
    }

    /// Nanoseconds since 1970 in UTC.
    func date(_ name: String, at now: Int64) throws(HTTPFault) -> Int64? {
        guard let text = values[name] else { return nil }
        do throws(CommandError) {
            return try DateArgument.value(text, for: name + "=", at: now, isUTC: true)
        } catch {
            throw HTTPFault(400, "query", error.message, help: error.help)
        }
    }

    /// Nanoseconds.
    func span(_ name: String, _ range: ClosedRange<UInt64>) throws(HTTPFault) -> UInt64? {
        guard let text = values[name] else { return nil }
        do throws(CommandError) {
            return try SpanArgument.value(text, for: name + "=", range: range)
        } catch {
            throw HTTPFault(400, "query", error.message, help: error.help)
        }
    }
}
