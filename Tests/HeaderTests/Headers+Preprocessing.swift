// SPDX-License-Identifier: Apache-2.0
import Foundation
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

    private static let ofOwn = Result { try Headers.own.readDeclarations() }

    /// Every declaration of these headers, as clang reads it.
    func declarations() throws -> [Declaration] {
        try isOwn ? Self.ofOwn.get() : readDeclarations()
    }

    private func readDeclarations() throws -> [Declaration] {
        let script = BuiltProducts.packageRoot + "/Tests/HeaderTests/Readers/declarations.py"
        let process = try Tool.clangPython.get().check(
            [script, includeDirectory] + names())
        return try JSONDecoder().decode([Declaration].self, from: Data(process.outputBytes))
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
