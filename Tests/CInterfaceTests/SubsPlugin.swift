// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport

/// The test plugin `subs` in a host of its own: what it is to do, and what it has done.
struct SubsPlugin {
    let host: TestHost
    private let files: TemporaryDirectory

    init(ownLoop: Bool = false, configure: (inout curfew_host_config) -> Void = { _ in }) throws {
        files = try TemporaryDirectory()
        setenv("SUBS_DIR", files.path, 1)
        host = try TestHost(ownLoop: ownLoop, configure: configure)
        let loaded = host.load(BuiltProducts.testPluginDirectory("subs"))
        guard loaded.answer == .ok else { throw TestFault(text: "not loaded: \(loaded.text)") }
    }

    func plan(_ text: String) throws { try files.write(text, to: "plan") }

    /// Lets go what waits for it.
    func goOn() throws { try files.write("", to: "go on") }

    var notes: [String] {
        let text = (try? String(contentsOfFile: files.path("notes"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Returns once it has written that line.
    func wait(for note: String, times: Int = 1) throws {
        try host.waitUntil("noted \"\(note)\"") { notes.count { $0 == note } >= times }
    }

    func ending(of task: curfew_task) throws -> Ending {
        guard host.wait(task) == .ok else { throw TestFault(text: "it does not end") }
        return try Ending(of: task, in: host)
    }
}
