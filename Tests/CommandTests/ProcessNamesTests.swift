// SPDX-License-Identifier: Apache-2.0
import Glibc
import TestSupport
import Testing

/// What a plugin did to the process around it is named by what happened, not by what came of it.
@Suite("What a plugin did to the process")
struct ProcessNamesTests {
    private static let isRoot = geteuid() == 0

    private func told(_ statements: String, in place: String, by tested: String) throws -> String {
        let twin = try Twin(
            code: """
                #include <unistd.h>
                #define \(place) \(statements)
                """)
        return try CommandRun("conform", twin.path, "--only", tested).output
    }

    @Test(
        "a handler that takes other rights or another root is told so", .enabled(if: isRoot),
        arguments: [
            ("if (seteuid(65534) != 0) return 1;", "changed the effective user id (0 → 65534)"),
            ("if (setegid(65534) != 0) return 1;", "changed the effective group id (0 → 65534)"),
            ("if (chroot(\"/usr\") != 0) return 1;", "changed the root directory"),
        ])
    func rights(statement: String, text: String) throws {
        let output = try told(statement, in: "TWIN_IF_PLAIN", by: "process-globals")
        #expect(output.contains("FAIL") && output.contains(text), "\(output)")
        #expect(!output.contains("umask") && !output.contains("working directory"), "\(output)")
    }

    @Test("one that closes the descriptors of others has not called exit")
    func descriptors() throws {
        let closing = "close_range(3, ~0U, 0);"
        let running = try told(closing, in: "TWIN_IF_PLAIN", by: "no-exit")
        #expect(running.contains("closed descriptors that are not its own while it ran"))
        #expect(!running.contains("ended the process"), "\(running)")
        let loading = try told(closing, in: "TWIN_IN_ENTRY", by: "registers-its-handlers")
        #expect(loading.contains("closed descriptors that are not its own while it was loaded"))
        let twin = try Twin(code: "#include <unistd.h>\n#define TWIN_IN_ENTRY \(closing)")
        let inspected = try CommandRun("inspect", twin.path, "--load")
        #expect(
            inspected.output.contains(
                "closed descriptors that are not its own while it was loaded"),
            "\(inspected.process)")
    }
}
