// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("Programs that embed Curfew in LuaJIT")
struct LuaJITTests {
    @Test("A program declares what the preprocessed headers say, and turns two loops with poll")
    func embeds() throws {
        let installation = try Installation.forTests()
        let place = try TemporaryDirectory()
        let declarations = try Installation.output(
            "gcc",
            [
                "-E", "-P", "-I\(installation.path("include"))",
                installation.path("include/curfew/curfew.h"),
            ])
        try place.write(declarations, to: "curfew.cdef")
        try EmbedderStage(installation).play([
            "luajit", "\(BuiltProducts.packageRoot)/Tests/Embedding/luajit/embedder.lua",
            place.path("curfew.cdef"), installation.path("lib/libcurfew.so"),
        ])
    }
}
