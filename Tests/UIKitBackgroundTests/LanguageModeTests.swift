// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Code that was written for Apple's modules, in both language modes.
@Suite("Language modes")
struct LanguageModeTests {
    @Test(
        "Code as it stands in tutorials compiles, without an error, in both language modes",
        arguments: ["background-task", "long-task"], ["5", "6"])
    func compiles(name: String, mode: String) throws {
        let root = BuiltProducts.packageRoot
        let built = BuiltProducts.directory
        let maps = ["CCurfew", "CAppHost"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(built)/\($0).build/module.modulemap"]
        }
        let run = try ChildProcess.run(
            "swiftc",
            ["-typecheck", "-parse-as-library", "-swift-version", mode, "-I", "\(built)/Modules"]
                + maps + [
                    "-Xcc", "-I\(root)/include", "-Xcc", "-I\(root)/Sources/CAppHost/include",
                ]
                + ["\(root)/Tests/UIKitBackgroundTests/Sources/\(name).swift"])
        #expect(run.succeeded, "\(run)")
    }
}
