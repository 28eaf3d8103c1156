// SPDX-License-Identifier: Apache-2.0
import Curfew

/// Embeds Curfew in Swift: two hosts at once, whose events are sequences.
///
///     embedder PLUGINS TEST_PLUGINS SCRATCH
///
/// What it does, and what it prints, is told in ../../../README.md.
@main
enum Program {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            fatalError("usage: embedder PLUGINS TEST_PLUGINS SCRATCH")
        }
        let (plugins, testPlugins, scratch) = (arguments[1], arguments[2], arguments[3])
        var one = try Embedder("one")
        var two = try Embedder("two")
        try one.load(plugins, testPlugins)
        try two.load(plugins, testPlugins)
        let tasksOfOne = try one.launch(scratch)
        let tasksOfTwo = try two.launch(scratch)
        for (plugin, task) in tasksOfOne { await one.tell(plugin, task) }
        for (plugin, task) in tasksOfTwo { await two.tell(plugin, task) }

        try two.shutDown()
        two.refuses("mirror", "org.curfew.mirror")
        await one.tell("mirror", try one.mirror(scratch))
        try one.shutDown()
    }
}
