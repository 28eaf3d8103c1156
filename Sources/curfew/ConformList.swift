// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge

/// The cases, for reading and for other programs.
enum ConformList {
    static func show(_ cases: [ConformanceCase], _ isJSON: Bool, _ out: Output) {
        if isJSON {
            out.line(
                JSONItem.object([
                    ("version", .integer(1)), ("cases", .list(cases.map(item))),
                ]).written)
            return
        }
        for level in ConformanceCase.levels {
            let those = cases.filter { $0.level == level }
            guard !those.isEmpty else { continue }
            out.line(out.paint("level \(level)", .strong))
            for each in those {
                let head = "  \(each.fault.code)  "
                guard (out.columns ?? 80) >= 60 else {
                    out.line(head + each.name)
                    out.line("      " + out.wrapped(each.fault.text, after: 6, indent: 6))
                    continue
                }
                let text = out.wrapped(each.fault.text, after: 36, indent: 36)
                out.line(head + Shown.padded(each.name, 26) + text)
            }
        }
    }

    private static func item(_ each: ConformanceCase) -> JSONItem {
        .object([
            ("name", .text(each.name)), ("code", .text(each.fault.code)),
            ("level", .integer(Int64(each.level))), ("text", .text(each.fault.text)),
            ("needs", .list(each.needs.map { .text($0) })),
        ])
    }
}
