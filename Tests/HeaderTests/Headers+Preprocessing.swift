// SPDX-License-Identifier: Apache-2.0
import TestSupport

extension Headers {
    /// What `gcc -E -P` makes of all headers, the C library's declarations included.
    func preprocessed(defining definitions: [String] = []) throws -> String {
        try preprocess(["-P"] + definitions.map { "-D" + $0 })
    }

    /// The same without the C library: only lines that stand in these headers.
    func preprocessedOwnText() throws -> String {
        var inside = false
        var own: [Substring] = []
        for line in try preprocess([]).split(separator: "\n") {
            if line.hasPrefix("# ") {
                inside = line.contains("\"\(includeDirectory)/")
            } else if inside {
                own.append(line)
            }
        }
        return own.joined(separator: "\n")
    }

    /// Every declaration of these headers, with its comment and its tags.
    func declarations() throws -> [Declaration] {
        let text = try preprocess(["-C", "-DCURFEW_TAG(thread, state)=@tag(thread;state)"])
        let tokens = Lexer(directory: includeDirectory + "/").tokens(of: text)
        return try DeclarationParser().declarations(tokens)
    }

    /// The headers that a program does not get with `curfew/curfew.h`.
    func namesMissedByUmbrella() throws -> [String] {
        let files = try Tool.gcc.check(
            ["-M", "-I", includeDirectory, "-xc", "-"], input: "#include <curfew/curfew.h>\n"
        ).output
        return try names().filter { !files.contains("/\($0)") }
    }

    private func preprocess(_ flags: [String]) throws -> String {
        let arguments = ["-E", "-std=c11"] + flags + ["-I", includeDirectory, "-xc", "-"]
        return try Tool.gcc.check(arguments, input: try includingAll()).output
    }
}
