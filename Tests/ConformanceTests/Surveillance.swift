// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport

/// A place for what the kit makes, and a mark on every process that it starts, to see what it leaves
/// behind.
final class Surveillance {
    private let place: TemporaryDirectory
    private let mark = UUID().uuidString
    /// Of the directory of somebody else.
    private static let mode = 0o750

    init() throws {
        place = try TemporaryDirectory()
        try place.write("keep", to: "victim/file")
        try FileManager.default.setAttributes(
            [.posixPermissions: Self.mode], ofItemAtPath: place.path("victim"))
        try FileManager.default.createDirectory(
            atPath: place.path("temporary"), withIntermediateDirectories: false)
    }

    deinit {
        for process in processes { kill(process, SIGKILL) }
    }

    /// For the kit, and by inheritance for everybody below it.
    var environment: [String: String] {
        [
            "TMPDIR": place.path("temporary"), "CURFEW_TEST_MARK": mark,
            "CURFEW_TEST_VICTIM": place.path("victim"), "CURFEW_TEST_READY": place.path("ready"),
        ]
    }

    /// Where a plugin says that it is at work: a pipe with a name.
    var readyPath: String { place.path("ready") }

    /// What is still there, a line each.
    var residue: [String] {
        var residue = processes.map { process -> String in
            let name = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            return "process \(process): \(name ?? "")"
        }
        let files = FileManager.default
        residue += ((try? files.contentsOfDirectory(atPath: place.path("temporary"))) ?? ["?"])
            .map { "in TMPDIR: \($0)" }
        if (try? place.read("victim/file")) != Array("keep".utf8) {
            residue.append("a file elsewhere is gone")
        }
        let attributes = try? files.attributesOfItem(atPath: place.path("victim"))
        if attributes?[.posixPermissions] as? Int != Self.mode {
            residue.append("the mode of a directory elsewhere was changed")
        }
        return residue
    }

    /// Whether all its processes end within some seconds.
    func awaitsEndOfProcesses() -> Bool {
        for _ in 0..<1_000 {
            if processes.isEmpty { return true }
            poll(nil, 0, 10)
        }
        return false
    }

    private var processes: [pid_t] {
        let text = Array("CURFEW_TEST_MARK=\(mark)".utf8)
        return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [])
            .compactMap { pid_t($0) }
            .filter { process in
                let path = "/proc/\(process)/environ"
                guard let environment = FileManager.default.contents(atPath: path) else {
                    return false
                }
                return Array(environment).firstRange(of: text) != nil
            }
    }
}
