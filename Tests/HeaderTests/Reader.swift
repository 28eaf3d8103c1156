// SPDX-License-Identifier: Apache-2.0
import TestSupport

/// What other languages make of the headers.
enum Reader {
    private static let scripts = BuiltProducts.packageRoot + "/Tests/HeaderTests/Readers"

    /// What swiftc says about a file that imports the headers; without one, about the expected types.
    static func swiftComplaints(_ headers: Headers, source: String? = nil) throws -> String {
        let directory = try TemporaryDirectory()
        let lines = try headers.names().map { "    header \"\(headers.includeDirectory)/\($0)\"\n" }
        let module = "module CurfewHeaders {\n\(lines.joined())    export *\n}\n"
        try directory.write(module, to: "module.modulemap")
        let file = try source.map { try directory.write($0, to: "source.swift") }
        let process = try Tool.swiftc.run([
            "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", directory.path,
            "-module-cache-path", directory.path("cache"),
            file ?? "\(scripts)/expected_types.swift",
        ])
        return process.succeeded ? "" : process.errorOutput
    }

    /// The rows of `layout()` without their last column, the size of the member.
    static func expectedLayout(_ headers: Headers) throws -> [String] {
        try headers.layout().map { row in
            row.split(separator: " ").dropLast().joined(separator: " ")
        }
    }

    /// The same rows, by cffi.
    static func cffiLayout(_ headers: Headers) throws -> [String] {
        let arguments = ["\(scripts)/cffi_layout.py"] + (try memberNames(headers))
        return rows(
            try Tool.cffi.get().check(arguments, input: try headers.preprocessedOwnText()))
    }

    /// The same rows, by LuaJIT.
    static func luajitLayout(_ headers: Headers) throws -> [String] {
        let arguments = ["\(scripts)/luajit_layout.lua"] + (try memberNames(headers))
        return rows(try Tool.luajit.check(arguments, input: try headers.preprocessed()))
    }

    /// Functions of the headers that bindgen declares nothing for.
    static func functionsMissedByBindgen(
        _ headers: Headers, preprocessed: Bool
    ) throws -> [String] {
        let directory = try TemporaryDirectory()
        let text = try preprocessed ? headers.preprocessed() : headers.includingAll()
        let header = try directory.write(text, to: "all.h")
        let output = try Tool.bindgen.check([
            "--no-rustfmt-bindings", header, "--", "-I", headers.includeDirectory,
        ]).output
        return try headers.declarations().filter { $0.kind == .function }.map(\.name)
            .filter { !output.contains("pub fn \($0)(") && !output.contains("pub fn \($0) (") }
    }

    private static func memberNames(_ headers: Headers) throws -> [String] {
        try headers.declarations().filter { $0.kind == .structure }
            .flatMap { structure in structure.members.map { "\(structure.name).\($0.name)" } }
    }

    private static func rows(_ process: ChildProcess) -> [String] {
        process.output.split(separator: "\n").map(String.init)
    }
}
