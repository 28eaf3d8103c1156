// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The compiler for programs that are no part of the package, with Apple's modules as the tests'
/// build left them.
struct ProgramCompiler {
    /// Modules of C that were read once, for all programs of one run of the tests.
    private static let modules = Result { try TemporaryDirectory() }

    /// Looks for errors only.
    func typeCheck(_ program: Program, _ mode: SwiftMode) throws -> ChildProcess {
        try run(program, mode, ["-typecheck"])
    }

    /// Makes an executable at a path.
    func compile(_ program: Program, _ mode: SwiftMode, into path: String) throws -> ChildProcess {
        let library = try AppleModules.library.get()
        return try run(
            program, mode,
            [
                "-L", library.path, "-lAppleModules", "-Xlinker", "-rpath", "-Xlinker",
                library.path, "-o", path,
            ])
    }

    private func run(
        _ program: Program, _ mode: SwiftMode, _ arguments: [String]
    ) throws -> ChildProcess {
        let root = BuiltProducts.packageRoot
        let built = BuiltProducts.directory
        var all = ["-swift-version", mode.rawValue, "-module-name", moduleName(of: program)]
        all += ["-module-cache-path", try Self.modules.get().path, "-I", "\(built)/Modules"]
        for module in ["CCurfew", "CAppHost"] {
            all += ["-Xcc", "-fmodule-map-file=\(built)/\(module).build/module.modulemap"]
        }
        for headers in ["include", "Sources/CAppHost/include"] {
            all += ["-Xcc", "-I\(root)/\(headers)"]
        }
        all += program.flags
        if program.hasMain { all.append("-parse-as-library") }
        return try ChildProcess.run("swiftc", all + arguments + [program.path])
    }

    /// A module cannot be called like the file, which has hyphens; nor like the app's own types.
    private func moduleName(of program: Program) -> String {
        "program_" + program.name.replacingOccurrences(of: "-", with: "_")
    }
}
