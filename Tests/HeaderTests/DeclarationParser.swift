// SPDX-License-Identifier: Apache-2.0

/// Reads the part of C that the headers keep to; whatever else it meets is an error.
struct DeclarationParser {
    /// What the parser does not know.
    struct Unknown: Error, CustomStringConvertible {
        let place: String
        let reason: String
        var description: String { "\(place): \(reason)" }
    }

    /// The declarations of a file, or the members of a structure.
    func declarations(_ tokens: some Collection<Token>) throws -> [Declaration] {
        try split(Array(tokens), at: ";").map(declaration)
    }

    private func declaration(_ all: [Token]) throws -> Declaration {
        let start = all[0]
        var (tokens, tags) = try separateTags(all)
        let isType = tokens.first?.text == "typedef"
        if isType { tokens.removeFirst() }

        if let open = tokens.firstIndex(where: { $0.text == "{" || $0.text == "(" }) {
            return tokens[open].text == "{"
                ? try body(tokens, open: open, tags: tags, start: start)
                : try callable(tokens, open: open, isType: isType, tags: tags, start: start)
        }
        while tokens.last?.text == "]" {
            guard let bracket = tokens.lastIndex(where: { $0.text == "[" }) else { break }
            tokens[bracket...] = []
            // An array is passed and laid out as what it is made of: "[" says that it is one.
            tokens.insert(Token(text: "[", place: start.place, hasCommentBefore: false), at: 0)
        }
        guard tokens.count > 1, let name = tokens.popLast(), name.isName,
            tokens.allSatisfy({ $0.isName || $0.text == "*" || $0.text == "[" })
        else { throw Unknown(place: start.place, reason: "not one plain declaration with a name") }
        return Declaration(
            kind: isType ? .alias : .value, name: name.text, type: tokens.map(\.text), tags: tags,
            isDocumented: start.hasCommentBefore, place: start.place)
    }

    /// `struct name { … } name` or `enum { … }`.
    private func body(
        _ tokens: [Token], open: Int, tags: [Tag], start: Token
    ) throws -> Declaration {
        let close = try closing(of: open, in: tokens)
        let head = tokens[..<open].map(\.text)
        let inner = Array(tokens[(open + 1)..<close])
        let names = head.dropFirst() + tokens[(close + 1)...].map(\.text)
        var declaration = Declaration(
            kind: head.first == "enum" ? .enumeration : .structure, name: names.last ?? "",
            type: head, tags: tags, isDocumented: start.hasCommentBefore, place: start.place)
        switch head.first {
        case "struct" where names.count > 0:
            declaration.members = try declarations(inner)
        case "enum":
            declaration.constants = split(inner, at: ",").map { $0[0].text }
        default:
            throw Unknown(place: start.place, reason: "neither a named struct nor an enum")
        }
        return declaration
    }

    /// `type name(…)` or `type (*name)(…)`.
    private func callable(
        _ tokens: [Token], open: Int, isType: Bool, tags: [Tag], start: Token
    ) throws -> Declaration {
        let words = tokens.map(\.text)
        let isPointer = words[open...].starts(with: ["(", "*"])
        let name = isPointer ? open + 2 : open - 1
        let list = isPointer ? open + 4 : open
        guard name > 0, list < tokens.count, tokens[name].isName, words[list] == "(",
            try closing(of: list, in: tokens) == tokens.count - 1
        else { throw Unknown(place: start.place, reason: "not one plain function") }
        let inner = Array(tokens[(list + 1)..<(tokens.count - 1)])
        return Declaration(
            kind: isType ? .callback : isPointer ? .functionPointer : .function, name: words[name],
            type: Array(words[..<(isPointer ? open : name)]),
            parameters: inner.map(\.text) == ["void"]
                ? [] : try split(inner, at: ",").map(declaration),
            tags: tags, isDocumented: start.hasCommentBefore, place: start.place)
    }

    /// Takes the `@tag(thread;state)` out that are not inside of a body.
    private func separateTags(_ tokens: [Token]) throws -> ([Token], [Tag]) {
        var rest: [Token] = []
        var tags: [Tag] = []
        var depth = 0
        var index = 0
        while index < tokens.count {
            let word = tokens[index].text
            if word == "@", depth == 0 {
                let parts = tokens[index...].prefix(7).map(\.text)
                guard parts.count == 7, parts[1] == "tag", parts[4] == ";", parts[6] == ")" else {
                    throw Unknown(place: tokens[index].place, reason: "not CURFEW_TAG(name, name)")
                }
                tags.append(Tag(thread: parts[3], state: parts[5]))
                index += 7
                continue
            }
            if word == "{" { depth += 1 }
            if word == "}" { depth -= 1 }
            rest.append(tokens[index])
            index += 1
        }
        return (rest, tags)
    }

    private func split(_ tokens: [Token], at separator: String) -> [[Token]] {
        var parts: [[Token]] = [[]]
        var depth = 0
        for token in tokens {
            if "([{".contains(token.text) { depth += 1 }
            if ")]}".contains(token.text) { depth -= 1 }
            if token.text == separator, depth == 0 {
                parts.append([])
            } else {
                parts[parts.count - 1].append(token)
            }
        }
        return parts.filter { !$0.isEmpty }
    }

    private func closing(of open: Int, in tokens: [Token]) throws -> Int {
        var depth = 0
        for index in open..<tokens.count {
            if "([{".contains(tokens[index].text) { depth += 1 }
            if ")]}".contains(tokens[index].text) { depth -= 1 }
            if depth == 0 { return index }
        }
        throw Unknown(place: tokens[open].place, reason: "\(tokens[open].text) is never closed")
    }
}
