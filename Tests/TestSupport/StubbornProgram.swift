// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A program that ignores SIGTERM, and whose descendants leave its session. It appends the numbers
/// of its four processes to the file that it is given.
package enum StubbornProgram {
    private static let place = Result { try TemporaryDirectory() }

    /// Compiles it. Returns its path, which exists as long as this process.
    package static func compile() throws -> String {
        let program = try place.get().path("stubborn")
        let source = "\(BuiltProducts.packageRoot)/Tests/TestSupport/stubborn.c"
        let gcc = try ChildProcess.run("gcc", ["-std=gnu11", "-O1", "-o", program, source])
        guard gcc.succeeded else { throw CocoaError(.executableLoad) }
        return program
    }
}
