// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Service

/// Measurements in the text format of Prometheus (version 0.0.4), or in that of OpenMetrics (1.0.0), which differ in the
/// names of counters and in their ends.
struct MetricsText {
    typealias Labels = [(name: String, value: String)]

    private let isOpen: Bool
    private var text = ""

    /// - Parameter isOpen: writes OpenMetrics.
    init(isOpen: Bool) { self.isOpen = isOpen }

    /// Whether a client wants OpenMetrics: it names it, and wants nothing else more.
    ///
    /// - Parameter accept: what it says that it takes.
    static func isOpen(_ accept: String?) -> Bool {
        let accept = HTTPAccept(accept)
        let open = accept.weight("application/openmetrics-text") ?? 0
        let plain = accept.weight("text/plain") ?? accept.weight("text/*") ?? accept.weight("*/*")
        return open > 0 && open >= plain ?? 0
    }

    static func type(isOpen: Bool) -> String {
        isOpen
            ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
            : "text/plain; version=0.0.4; charset=utf-8"
    }

    /// The whole text.
    var written: String { isOpen ? text + "# EOF\n" : text }

    /// A number that only grows, with `_total` at the end of its name.
    mutating func counter(_ name: String, _ help: String, _ samples: [(Labels, Int64)]) {
        head(isOpen ? String(name.dropLast("_total".count)) : name, "counter", help)
        for (labels, value) in samples { line(name, labels, String(value)) }
    }

    mutating func gauge(_ name: String, _ help: String, _ samples: [(Labels, Double)]) {
        head(name, "gauge", help)
        for (labels, value) in samples { line(name, labels, Self.number(value)) }
    }

    /// One of the values that a histogram has counted, and the trace that it belongs to.
    struct Exemplar {
        let value: Double
        /// In nanoseconds since 1970 in UTC.
        let date: Int64
        /// 32 hexadecimal digits.
        let trace: String
    }

    /// - Parameter exemplars: of a histogram, the newest first; only OpenMetrics has them.
    mutating func histogram(
        _ name: String, _ help: String, _ samples: [(Labels, Histogram)],
        exemplars: [[Exemplar]] = []
    ) {
        head(name, "histogram", help)
        for (index, (labels, histogram)) in samples.enumerated() {
            var sum: Int64 = 0
            let known = isOpen && index < exemplars.count ? exemplars[index] : []
            var lower = -Double.infinity
            for (bound, count) in zip(histogram.bounds + [.infinity], histogram.counts) {
                sum += count
                // Dates and counts are of different clocks: a value may have been counted in another class.
                let exemplar =
                    count == 0 ? nil : known.first { $0.value > lower && $0.value <= bound }
                line(
                    name + "_bucket", labels + [("le", Self.bound(bound))],
                    String(sum) + (exemplar.map(Self.written) ?? ""))
                lower = bound
            }
            line(name + "_sum", labels, Self.number(histogram.sum))
            line(name + "_count", labels, String(sum))
        }
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func line(_ name: String, _ labels: Labels, _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{"
            for (index, label) in labels.enumerated() {
                if index > 0 { text += "," }
                text += "\(label.name)=\"\(Self.escaped(label.value))\""
            }
            text += "}"
        }
        text += " \(value)\n"
    }

    private static func bound(_ value: Double) -> String {
        value == .infinity ? "+Inf" : number(value)
    }

    private static func written(_ exemplar: Exemplar) -> String {
        let milliseconds = exemplar.date / 1_000_000
        let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
        return
            " # {trace_id=\"\(exemplar.trace)\"} \(number(exemplar.value)) \(milliseconds / 1_000).\(fraction)"
    }

    private static func number(_ value: Double) -> String { "\(value)" }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
