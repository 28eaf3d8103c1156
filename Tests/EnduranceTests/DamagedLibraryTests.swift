// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import TestSupport
import Testing

@testable import PluginBridge

/// Libraries of plugins and of the system, damaged in thousands of ways.
@Suite("Damaged libraries")
struct DamagedLibraryTests {
    /// Small and large ones, in C, Rust and Swift, and such as plugins are linked with.
    private static let libraries =
        [
            "\(BuiltProducts.pluginDirectory("mirror"))/libmirror.so",
            "\(BuiltProducts.pluginDirectory("refresh-subs"))/librefresh-subs.so",
            "\(BuiltProducts.pluginDirectory("sqlite-care"))/libsqlite-care.so",
        ]
        + [
            "good/libgood.so", "patient/libpatient.so", "subs/libsubs.so", "hooked/libhooked.so",
            "languages/rust/librust.so", "languages/cpp/libcpp.so",
        ].map { BuiltProducts.testPluginDirectory($0) }
        + ["libz.so.1", "libffi.so.8"].map { "/usr/lib/x86_64-linux-gnu/\($0)" }

    @Test("none of 20,000 ends the process before its own code runs", arguments: libraries)
    func mutants(_ path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else { return }
        let mutation = LibraryMutation(Array(data))
        let loader = try LibraryLoader()
        let files = try TestSupport.TemporaryDirectory()
        var (accepted, loaded, doubts) = (0, 0, 0)
        let count: UInt64 = Torture.isWanted ? 2_000 : 40
        // As many as go into a file of some megabytes.
        let batch = max(1, UInt64(32 << 20) / UInt64(data.count))
        for first in stride(from: UInt64(0), to: count, by: Int(batch)) {
            var sound: [(bytes: [UInt8], change: String)] = []
            for seed in first..<min(first + batch, count) {
                let mutant = mutation.mutant(1 << 32 + seed)
                let soundness = mutant.bytes.withUnsafeBytes { try? ELFSoundness($0) }
                guard let soundness else { continue }
                if soundness.doubt != nil {
                    doubts += 1
                    guard try isLoadable(mutant.bytes, in: files) else { continue }
                }
                sound.append(mutant)
            }
            guard !sound.isEmpty else { continue }
            accepted += sound.count
            for (mutant, ending) in zip(sound, try loader.load(sound.map(\.bytes))) {
                #expect([.loaded, .refused].contains(ending), "\(path): \(mutant.change)")
                if ending == .loaded { loaded += 1 }
            }
        }
        Torture.tell(
            "\(path): \(count) mutants, \(accepted) within the rules, \(loaded) loaded, \(doubts) for a trial"
        )
        #expect(accepted > 0 && accepted < Int(count))
    }

    /// Whether a process that loads it for a trial comes through.
    private func isLoadable(
        _ library: [UInt8], in files: TestSupport.TemporaryDirectory
    ) throws -> Bool {
        let file = open(try files.write(library, to: "library.so"), O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        return csys_try_loading(file, 10) == 0
    }
}
