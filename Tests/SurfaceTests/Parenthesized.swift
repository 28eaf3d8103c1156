// SPDX-License-Identifier: Apache-2.0

/// What stands between the parentheses that a text begins with, split at its commas, and what follows.
struct Parenthesized {
    let all: [String]
    let rest: Substring

    init(_ text: Substring) throws {
        var depth = 0
        var parts = [""]
        var before: Character = " "
        for index in text.indices {
            let character = text[index]
            // The one of an arrow closes nothing.
            let closes = ")]}".contains(character) || character == ">" && before != "-"
            if closes { depth -= 1 }
            if depth == 0, closes {
                all = parts == [""] ? [] : parts
                rest = text[text.index(after: index)...]
                return
            }
            if character == ",", depth == 1 {
                parts.append("")
            } else if depth > 0, !(character == " " && parts[parts.count - 1].isEmpty) {
                parts[parts.count - 1].append(character)
            }
            if "([{<".contains(character) { depth += 1 }
            before = character
        }
        throw SurfaceFault(text: "a parenthesis is not closed: \(text)")
    }
}
