// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("Programs that embed Curfew in a GLib main loop")
struct GLibTests {
    @Test("Two hosts have their events on the loop's thread, and a timer ticks meanwhile")
    func embeds() throws {
        let installation = try Installation.forTests()
        let place = try TemporaryDirectory()
        let curfew = try installation.pkgConfig("--cflags", "--libs")
        let glib = try Installation.output("pkg-config", ["--cflags", "--libs", "glib-2.0"])
            .split(whereSeparator: \.isWhitespace).map(String.init)
        _ = try Installation.output(
            "gcc",
            [
                "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", place.path("embedder"),
                "\(BuiltProducts.packageRoot)/Tests/Embedding/glib/embedder.c",
                "-Wl,-rpath,\(installation.path("lib"))",
            ] + curfew + glib)
        try EmbedderStage(installation).play(
            [place.path("embedder")], more: ["ticked meanwhile"])
    }
}
