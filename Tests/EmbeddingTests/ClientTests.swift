// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("Programs that embed Curfew through the installed headers and library")
struct ClientTests {
    @Test(
        "A client runs plugins and gets every event, on its own loop or the host's",
        arguments: ClientLanguage.allCases, ["thread", "epoll"])
    func seesEveryEvent(language: ClientLanguage, mode: String) throws {
        let child = try CompiledClients.shared.get().run(language, mode: mode)
        #expect(child.succeeded, "\(child)")
    }

    @Test("A client in C runs under valgrind without an error or a definite leak")
    func cleanUnderValgrind() throws {
        let suppressions = "\(BuiltProducts.packageRoot)/Tests/Embedding/valgrind.supp"
        let valgrind = [
            "valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full",
            "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite", "--num-callers=40",
            "--suppressions=\(suppressions)",
        ]
        let child = try CompiledClients.shared.get().run(
            .c, mode: "thread", before: valgrind, limit: .seconds(300))
        #expect(child.succeeded, "\(child)")
    }
}
