// SPDX-License-Identifier: Apache-2.0
import Testing

/// What `import Curfew` offers is designed: a line of the table for each declaration.
@Suite("The Swift API of a host")
struct HostSurfaceTests {
    private static let modules = [
        "CurfewValues", "Scheduling", "Surroundings", "Persistence", "PluginBridge", "Runner",
        "Curfew", "CurfewB4X",
    ]
    /// Types that only CurfewB4X exports of the layers below.
    private static let typesOfB4X = [
        "EventSender", "SenderFilter", "TargetCounts", "TargetEvent", "TargetKind",
    ]
    /// The maximum number of declarations of `import Curfew`, besides cases of enumerations and the
    /// codes of errors, which are cases in all but name.
    private static let limit = 302

    @Test("The public declarations are those of the table, in all layers")
    func surface() throws {
        let table = try SurfaceTable("curfew-surface.txt")
        var (count, cases) = (0, 0)
        for module in Self.modules {
            let built = Set(try SymbolGraph.members(of: module).compactMap(Self.line))
            let rows = Set(table[module].map(\.member.line))
            for line in rows.subtracting(built).sorted() {
                Issue.record("\(module) lacks \(line), which is in curfew-surface.txt")
            }
            for line in built.subtracting(rows).sorted() {
                Issue.record(
                    "\(module) publishes \(line): make it package, or write it into curfew-surface.txt"
                )
            }
            guard module != "CurfewB4X" else { continue }
            let own = built.filter { !Self.isOfB4X($0) }
            let values = own.count { $0.hasPrefix("case ") || $0.hasPrefix("static var Status.") }
            count += own.count - values
            cases += values
        }
        print("import Curfew: \(count) declarations; \(count + cases) with cases and error codes")
        #expect(count > 100, "the modules cannot be read")
        #expect(count <= Self.limit, "import Curfew has \(count) declarations")
    }

    /// A declaration as the table has it; nil for one that the compiler has made.
    private static func line(_ member: SurfaceMember) -> String? {
        if member.line.contains(#/^init\? [\w.]+\(rawValue: \w+\)$/#) { return nil }
        guard !member.inherited.isEmpty else { return member.line }
        let implied: Set = ["Copyable", "Escapable", "SendableMetatype"]
        return "\(member.spelling): "
            + member.inherited.subtracting(implied).sorted().joined(separator: ", ")
    }

    private static func isOfB4X(_ line: String) -> Bool {
        typesOfB4X.contains { line.contains(" \($0).") || line.contains(" \($0):") }
    }
}
