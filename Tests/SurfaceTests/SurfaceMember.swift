// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A public name of a module, with its type: what unchanged code compiles against.
///
/// Written as Swift has it, with the full name in place of the short one, and without what neither a
/// caller nor a subclass writes down: `open` and `public`, isolation, `@Sendable`, the inner names of
/// parameters.
struct SurfaceMember: Hashable {
    /// The name, with the labels of its parameters: `BGTask.setTaskCompleted(success:)`.
    let name: String
    /// All of it; of a type, without what it inherits.
    let spelling: String
    /// The class that a class derives from.
    let superclass: String?
    /// The protocols that a type conforms to, or that a protocol refines.
    let inherited: Set<String>

    /// Stand before the keyword, and make a difference to a caller or to a subclass.
    private static let modifiers = ["optional", "static", "required", "mutating"]

    /// Reads a line of a table. The first name after the colon of a class is its superclass.
    init(line: String) throws {
        var rest = line[...]
        while let modifier = Self.modifiers.first(where: { rest.hasPrefix($0 + " ") }) {
            rest = rest.dropFirst(modifier.count + 1)
        }
        let keyword = rest.prefix { $0 != " " }
        rest = rest.dropFirst(keyword.count + 1)
        guard !rest.isEmpty else { throw SurfaceFault(text: "this is no member: \(line)") }
        if ["class", "struct", "enum", "protocol"].contains(keyword) {
            let halves = rest.split(separator: ":", maxSplits: 1)
            name = String(halves[0])
            spelling = "\(keyword) \(name)"
            var parents = halves.dropFirst().flatMap { $0.split(separator: ",") }.map(Self.plain)
            superclass = keyword == "class" && !parents.isEmpty ? parents.removeFirst() : nil
            inherited = Set(parents)
            return
        }
        superclass = nil
        inherited = []
        spelling = line
        guard let open = rest.firstIndex(of: "("), !["var", "typealias"].contains(keyword) else {
            name = String(rest.prefix { !": =".contains($0) })
            return
        }
        let parts = try Parenthesized(rest[open...])
        name = rest[..<open] + "(" + parts.all.map { Self.label($0) + ":" }.joined() + ")"
    }

    /// Reads a symbol as the compiler describes it.
    ///
    /// - Parameters:
    ///   - declaration: its declaration.
    ///   - path: its name, after the names of the types that it is in.
    ///   - superclass: of a class.
    ///   - inherited: the protocols of a type.
    ///   - constraints: those of the extension that it is in, `Self: Task`.
    ///   - isOptional: whether it is a protocol's method that a type may leave out.
    init(
        declaration: String, path: [String], superclass: String? = nil,
        inherited: Set<String> = [], constraints: [String] = [], isOptional: Bool = false
    ) throws {
        var text = Substring(Self.bare(declaration))
        var before = isOptional ? "optional " : ""
        while let modifier = Self.modifiers.first(where: { text.hasPrefix($0 + " ") }) {
            before += modifier + " "
            text = text.dropFirst(modifier.count + 1)
        }
        let outer = path.dropLast().map { $0 + "." }.joined()
        let keyword = text.prefix { !" (<".contains($0) }
        text = text.dropFirst(keyword.count).drop { $0 == " " }
        let kind = before + keyword
        let limits =
            constraints.isEmpty ? "" : " where " + constraints.sorted().joined(separator: ", ")

        switch keyword {
        case "class", "struct", "enum", "protocol":
            name = path.joined(separator: ".")
            spelling = "\(kind) \(name)"
            self.superclass = superclass
            self.inherited = inherited
            return
        case "var", "let":
            self = try SurfaceMember(line: Self.property(kind, outer, text) + limits)
        case "func", "init", "init?":
            guard let open = text.firstIndex(of: "(") else {
                throw SurfaceFault(text: "this is no function: \(declaration)")
            }
            let own = text[..<open]
            let parts = try Parenthesized(text[open...])
            let isOperator = own.first.map { !$0.isLetter && $0 != "_" } ?? false
            let parameters = parts.all.map { Self.parameter($0, isOperator) }
            let full = keyword == "func" ? outer + own : String(outer.dropLast())
            self = try SurfaceMember(
                line: "\(kind) \(full)(\(parameters.joined(separator: ", ")))\(parts.rest)\(limits)"
            )
        default:
            self = try SurfaceMember(line: "\(kind) \(outer)\(text)\(limits)")
        }
    }

    /// Whether this is what a row of a table says. It may conform to more protocols, and a row without
    /// a superclass does not ask for one.
    func isSame(as row: SurfaceMember) -> Bool {
        spelling == row.spelling && (row.superclass == nil || superclass == row.superclass)
            && inherited.isSuperset(of: row.inherited)
    }

    /// As a line of a table.
    var line: String {
        let parents = (superclass.map { [$0] } ?? []) + inherited.sorted()
        return parents.isEmpty ? spelling : spelling + ": " + parents.joined(separator: ", ")
    }

    // MARK: Making it comparable

    /// A constant is a property that can only be read, whatever keeps its value.
    private static func property(_ kind: String, _ outer: String, _ text: Substring) -> String {
        let isConstant = kind.hasSuffix("let")
        let access = text.hasSuffix("}") ? "" : isConstant ? " { get }" : " { get set }"
        return "\(isConstant ? kind.dropLast(3) + "var" : kind) \(outer)\(text)\(access)"
    }

    /// `forTaskWithIdentifier identifier: String` without the inner name, which nobody calls it by.
    private static func parameter(_ text: String, _ isOperator: Bool) -> String {
        let halves = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard halves.count == 2 else { return text }
        return (isOperator ? "_" : label(text)) + ":" + halves[1]
    }

    private static func label(_ text: String) -> String {
        String(text.prefix { !" :".contains($0) })
    }

    private static func plain(_ text: Substring) -> String {
        text.trimmingCharacters(in: .whitespaces)
    }

    private static func bare(_ declaration: String) -> String {
        var text = declaration.replacing(#/@(?!escaping\b)\w+(\([^)]*\))?\s+/#, with: "")
        text.replace(
            #/\b(open|public|final|override|lazy|convenience|sending)\s+/#, with: "")
        text.replace(#/\bnonisolated(\(\w+\))?\s+/#, with: "")
        text.replace(#/^class (?=var |func )/#, with: "static ")
        text.replace(#/\s+/#, with: " ")
        text.replace("`", with: "")
        // An operator has a blank behind it.
        text.replace(" (", with: "(", maxReplacements: text.contains(#/func [^\w ]+ \(/#) ? 1 : 0)
        return text.replacing(" : ", with: ": ").trimmingCharacters(in: .whitespaces)
    }
}
