// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// A compiler with a version of its language.
struct Dialect: CustomTestStringConvertible {
    /// What the headers promise to be.
    static let all: [Dialect] =
        [
            Dialect(compiler: .gcc, language: "c", standard: "c11"),
            Dialect(compiler: .gcc, language: "c", standard: "c17"),
            Dialect(compiler: .gxx, language: "c++", standard: "c++17"),
        ]
        + (Tool.clang.map { clang in
            [
                Dialect(compiler: clang, language: "c", standard: "c11"),
                Dialect(compiler: clang, language: "c", standard: "c17"),
                Dialect(compiler: clang, language: "c++", standard: "c++17"),
            ]
        } ?? [])

    let compiler: Tool
    let language: String
    let standard: String

    var testDescription: String { "\(compiler.name) -std=\(standard)" }

    /// Compiles a text to `output` with all warnings as errors; returns what the compiler said.
    func complaints(
        about source: String, _ headers: Headers, flags: [String] = [], output: String = "/dev/null"
    ) throws -> String {
        let arguments =
            ["-std=\(standard)", "-Wall", "-Wextra", "-pedantic", "-Werror"] + flags
            + ["-I", headers.includeDirectory, "-x", language, "-", "-o", output]
        let process = try compiler.run(arguments, input: source)
        return process.succeeded ? "" : process.description
    }
}
