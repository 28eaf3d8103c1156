// SPDX-License-Identifier: Apache-2.0
import Foundation
import Scheduling
import TestSupport

/// Directories that look like those of the kernel, for one test.
struct FileTree {
    private let root: TemporaryDirectory

    init(_ files: [String: String] = [:]) throws {
        root = try TemporaryDirectory()
        for (path, text) in files { try root.write(text, to: path) }
    }

    var sys: String { root.path("sys") }
    var proc: String { root.path("proc") }
    var run: String { root.path("run") }
    var dev: String { root.path("dev") }

    func write(_ text: String, to path: String) throws { try root.write(text, to: path) }
    func write(_ bytes: [UInt8], to path: String) throws { try root.write(bytes, to: path) }

    func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: root.path(path), withIntermediateDirectories: true)
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: root.path(path))
    }

    func link(_ path: String, to target: String) throws {
        let place = root.path(path)
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: place).deletingLastPathComponent().path,
            withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: target)
    }

    /// A path below the tree, in full.
    func path(_ path: String) -> String { root.path(path) }
}

extension FactorSource {
    /// What it says of one factor.
    func reading(_ factor: Factor) -> FactorReading {
        read()[factor] ?? FactorReading(.unknown, source: "", detail: "nothing is said of it")
    }
}
