// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The programs of these tests, compiled once.
enum CompiledPrograms {
    private static let place = Result { try TemporaryDirectory() }
    static let probe = Result { try compile("probe", []) }
    static let host = Result {
        let system = "\(BuiltProducts.packageRoot)/Sources/CSystem"
        return try compile(
            "host",
            [
                "-I\(system)/include", "-I\(BuiltProducts.packageRoot)/include",
                "\(system)/children.c", "\(system)/polling.c", "\(system)/csystem.c", "-pthread",
            ])
    }

    private static func compile(_ name: String, _ more: [String]) throws -> String {
        let program = try place.get().path(name)
        let source = "\(BuiltProducts.packageRoot)/Tests/ChildTests/\(name).c"
        let gcc = try ChildProcess.run(
            "gcc", ["-std=gnu11", "-O1", "-o", program, source] + more)
        guard gcc.succeeded else { throw TestFault(text: "\(gcc)") }
        return program
    }
}
