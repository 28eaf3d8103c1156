// SPDX-License-Identifier: Apache-2.0

/// Takes the output of `gcc -E -C` apart and keeps what stands in the headers of one directory.
struct Lexer {
    /// The directory, with a slash at its end.
    let directory: String

    /// The tokens that come from the directory's headers, in order.
    func tokens(of preprocessed: String) -> [Token] {
        var tokens: [Token] = []
        var rest = Substring(preprocessed)
        var header: String?
        var line = 1
        var lineIsBlank = true
        var commentEnd: Int?  // the last line of a comment after which nothing came yet

        while let first = rest.first {
            if first == "#", lineIsBlank {
                // `# 12 "include/curfew/host.h" 2` names the place of the next line.
                let words = rest.prefix { $0 != "\n" }.split(separator: " ", maxSplits: 2)
                rest = rest.drop { $0 != "\n" }.dropFirst()
                guard words.count == 3, let number = Int(words[1]) else {
                    line += 1
                    continue
                }
                let file = words[2].dropFirst().prefix { $0 != "\"" }
                header = file.hasPrefix(directory) ? String(file.dropFirst(directory.count)) : nil
                line = number
            } else if first.isNewline {
                rest.removeFirst()
                line += 1
                lineIsBlank = true
            } else if first.isWhitespace {
                rest.removeFirst()
            } else if rest.hasPrefix("/*") {
                let comment = comment(at: rest)
                rest = rest.dropFirst(comment.count)
                line += comment.count { $0.isNewline }
                commentEnd = lineIsBlank ? line : nil
            } else {
                let text = word(at: rest)
                rest = rest.dropFirst(text.count)
                if let header {
                    let commented = commentEnd.map { line - $0 <= 1 } ?? false
                    tokens.append(
                        Token(
                            text: String(text), place: "\(header):\(line)",
                            hasCommentBefore: commented))
                }
                commentEnd = nil
                lineIsBlank = false
            }
        }
        return tokens
    }

    private func comment(at text: Substring) -> Substring {
        var previous: Character = " "
        var length = 2
        for character in text.dropFirst(2) {
            length += 1
            if previous == "*", character == "/" { break }
            previous = character
        }
        return text.prefix(length)
    }

    private func word(at text: Substring) -> Substring {
        let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        if !name.isEmpty { return name }
        guard let quote = text.first, quote == "\"" || quote == "'" else { return text.prefix(1) }
        var escaped = false
        var length = 1
        for character in text.dropFirst() {
            length += 1
            if character == quote, !escaped { break }
            escaped = character == "\\" && !escaped
        }
        return text.prefix(length)
    }
}
