// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Code of an app's inside a plugin")
struct PluginTests {
    @Test("its handlers and requests are the host's that loads it, and the app sees the same ones")
    func oneRegistry() throws {
        let plugin = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: "\(BuiltProducts.packageRoot)/Tests/Plugins/apple-tasks/manifest.json",
            toPath: plugin.path("manifest.json"))
        try FileManager.default.copyItem(
            atPath: BuiltProducts.path(ofProduct: "libapple-tasks.so"),
            toPath: plugin.path("libapple-tasks.so"))
        let run = try App().run("plugin", plugin.path)
        let name = "org.curfew.test.apple-tasks"
        #expect(
            run.lines == [
                "plugin: <BGAppRefreshTask: \(name).refresh>, pending [\"\(name).cleanup\"]",
                "plugin: No launch handler registered for task with identifier org.example.app.refresh",
                "succeeded",
                "app: \(name).cleanup, network true",
            ], "\(run.process)")
        #expect(run.log.allSatisfy { !$0.contains("misbehav") }, "\(run.log)")
    }
}
