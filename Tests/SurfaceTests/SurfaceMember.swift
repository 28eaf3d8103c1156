// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A public name of a module, with its type: what unchanged code compiles against.
///
/// Written as Swift has it, with the full name in place of the short one, and without what a caller
/// does not write down: `open` and `public`, isolation, `@Sendable`, the inner names of parameters.
struct SurfaceMember: Hashable {
    /// The name, with the labels of its parameters: `BGTask.setTaskCompleted(success:)`.
    let name: String
    /// All of it; of a type, without what it inherits.
    let spelling: String
    /// What a type inherits from and conforms to.
    let inherited: Set<String>

    /// Reads a line of a table.
    init(line: String) throws {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2 else { throw SurfaceFault(text: "this is no member: \(line)") }
        if ["class", "struct", "enum", "protocol"].contains(words[0]) {
            let halves = words[1].split(separator: ":", maxSplits: 1).map(String.init)
            name = halves[0]
            spelling = "\(words[0]) \(halves[0])"
            inherited = Set(halves.dropFirst().flatMap { $0.split(separator: ",") }.map(Self.plain))
            return
        }
        inherited = []
        spelling = line
        let rest = words[0] == "static" ? words[1].drop { $0 != " " }.dropFirst() : words[1][...]
        let isValue = words[1].hasPrefix("var ") || ["var", "typealias"].contains(words[0])
        guard let open = rest.firstIndex(of: "("), !isValue else {
            name = String(rest.prefix { !": =".contains($0) })
            return
        }
        let parts = try Parenthesized(rest[open...])
        name = rest[..<open] + "(" + parts.all.map { Self.label($0) + ":" }.joined() + ")"
    }

    /// Reads what a compiler says of a symbol: its declaration, and the names of what it is in.
    init(declaration: String, path: [String], inherited: Set<String>) throws {
        var text = Substring(Self.bare(declaration))
        let isStatic = text.hasPrefix("static ")
        if isStatic { text = text.dropFirst("static ".count) }
        let outer = path.dropLast().map { $0 + "." }.joined()
        let keyword = text.prefix { !" (<".contains($0) }
        text = text.dropFirst(keyword.count).drop { $0 == " " }
        let kind = (isStatic ? "static " : "") + keyword

        switch keyword {
        case "class", "struct", "enum", "protocol":
            name = path.joined(separator: ".")
            spelling = "\(kind) \(name)"
            self.inherited = inherited
            return
        case "var", "let":
            self = try SurfaceMember(line: Self.property(kind, outer, text))
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
                line: "\(kind) \(full)(\(parameters.joined(separator: ", ")))\(parts.rest)")
        default:
            self = try SurfaceMember(line: "\(kind) \(outer)\(text)")
        }
    }

    /// Whether this is what `other` of Apple's is. It may inherit more.
    func isSame(as other: SurfaceMember) -> Bool {
        spelling == other.spelling && inherited.isSuperset(of: other.inherited)
    }

    /// As a line of a table.
    var line: String {
        inherited.isEmpty ? spelling : spelling + ": " + inherited.sorted().joined(separator: ", ")
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
            #/\b(open|public|final|override|lazy|required|convenience|sending)\s+/#, with: "")
        text.replace(#/\bnonisolated(\(\w+\))?\s+/#, with: "")
        text.replace(#/^class (?=var |func )/#, with: "static ")
        text.replace(#/\s+/#, with: " ")
        text.replace("`", with: "")
        // An operator has a blank behind it.
        text.replace(" (", with: "(", maxReplacements: text.contains(#/func [^\w ]+ \(/#) ? 1 : 0)
        return text.replacing(" : ", with: ": ")
    }
}
