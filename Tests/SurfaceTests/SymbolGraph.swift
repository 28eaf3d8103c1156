// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The public names of a module that was built, as the toolchain's own tool writes them down.
///
/// Names that begin with an underscore are not among them.
struct SymbolGraph: Decodable {
    private struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct Fragment: Decodable { let spelling: String }
        struct Extension: Decodable { let constraints: [Constraint]? }
        struct Constraint: Decodable {
            let kind: String
            let lhs: String
            let rhs: String

            var text: String { lhs + (kind == "sameType" ? " == " : ": ") + rhs }
        }

        let kind: Kind
        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]
        let swiftExtension: Extension?

        var declaration: String { declarationFragments.map(\.spelling).joined() }
    }

    private struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        let targetFallback: String?
    }

    private let symbols: [Symbol]
    private let relationships: [Relationship]

    /// What a module has, its extensions of other modules' types too.
    static func members(of module: String) throws -> [SurfaceMember] {
        let place = try TemporaryDirectory()
        let built = BuiltProducts.directory
        let root = BuiltProducts.packageRoot
        let headers = ["\(root)/include", "\(root)/Sources/CAppHost/include"]
        let maps =
            ["CCurfew", "CAppHost", "CSystem", "CFaults", "CPostgres"].map {
                "\(built)/\($0).build/module.modulemap"
            }
            + ["CFFI", "CSQLite"].map { "\(root)/Sources/\($0)/module.modulemap" }
        let said = try ChildProcess.run(
            "swift-symbolgraph-extract",
            [
                "-module-name", module, "-target", target(), "-sdk", "/", "-I", "\(built)/Modules",
                "-minimum-access-level", "public", "-skip-synthesized-members",
                "-output-dir", place.path,
            ] + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
                + headers.flatMap { ["-Xcc", "-I\($0)"] })
        guard said.succeeded else {
            throw SurfaceFault(text: "the names of \(module) cannot be read: \(said)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: place.path)
        let graphs = try files.sorted().filter { $0.hasSuffix(".symbols.json") }.map {
            try JSONDecoder().decode(SymbolGraph.self, from: Data(place.read($0)))
        }
        return try graphs.flatMap { try $0.members() }
    }

    private func members() throws -> [SurfaceMember] {
        let names = Dictionary(
            symbols.map { ($0.identifier.precise, $0.pathComponents.joined(separator: ".")) },
            uniquingKeysWith: { first, _ in first })
        var superclasses: [String: String] = [:]
        var inherited: [String: Set<String>] = [:]
        for each in relationships where ["inheritsFrom", "conformsTo"].contains(each.kind) {
            // `Foundation.NSObject`, or a name of this module.
            let outside = each.targetFallback.map { $0.drop { $0 != "." }.dropFirst() }
            guard let name = names[each.target] ?? outside.map(String.init) else { continue }
            if each.kind == "inheritsFrom" {
                superclasses[each.source] = name
            } else {
                inherited[each.source, default: []].insert(name)
            }
        }
        let optional = optionalMethods
        return try symbols.filter { $0.kind.identifier != "swift.extension" }.map {
            let id = $0.identifier.precise
            return try SurfaceMember(
                declaration: $0.declaration, path: $0.pathComponents,
                superclass: superclasses[id], inherited: inherited[id] ?? [],
                constraints: $0.swiftExtension?.constraints?.map(\.text) ?? [],
                isOptional: optional.contains(id))
        }
    }

    /// The methods of protocols that are called and left out as Objective-C's optional ones are: each
    /// has a default, and beside it a property of its base name, of an optional type, so that
    /// `delegate.method?(…)` compiles.
    private var optionalMethods: Set<String> {
        let withDefault = Set(
            relationships.filter { $0.kind == "defaultImplementationOf" }.map(\.target))
        let properties = Set(
            symbols.filter {
                $0.kind.identifier == "swift.property" && $0.declaration.contains("? {")
            }
            .map(\.pathComponents))
        return Set(
            symbols.filter { symbol in
                let path = symbol.pathComponents
                let base = path.last.map { String($0.prefix { $0 != "(" }) } ?? ""
                return symbol.kind.identifier == "swift.method"
                    && withDefault.contains(symbol.identifier.precise)
                    && properties.contains(path.dropLast() + [base])
            }.map(\.identifier.precise))
    }

    /// The triple of this toolchain.
    private static func target() throws -> String {
        struct Information: Decodable {
            struct Target: Decodable { let triple: String }
            let target: Target
        }
        let said = try ChildProcess.run("swiftc", ["-print-target-info"])
        return try JSONDecoder().decode(Information.self, from: Data(said.outputBytes)).target
            .triple
    }
}
