// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("A machine whose power fails", .timeLimit(.minutes(30)))
struct PowerLossTests {
    private static let recorded = Result { try record() }

    /// A host's life with a store, from the first file to the last one.
    private static func record() throws -> RecordedDisk {
        let directory = try TemporaryDirectory()
        let (library, log) = (directory.path("disk-recorder.so"), directory.path("log"))
        let source = "\(BuiltProducts.packageRoot)/Tests/EnduranceTests/disk-recorder.c"
        let compiled = try ChildProcess.run(
            "gcc", ["-shared", "-fPIC", "-pthread", "-o", library, source])
        try #require(compiled.succeeded, "\(compiled)")
        // Without links, as the store names its files.
        let root = URL(fileURLWithPath: directory.path).resolvingSymlinksInPath().path + "/store"
        let harness = try RunningHarness(
            [root, "drain", "--name", "p", "--count", "12", "--threads", "2"],
            environment: ["LD_PRELOAD": library, "DISK_LOG": log, "DISK_ROOT": root])
        #expect(harness.finish() == .exited(0))
        return RecordedDisk(try directory.read("log"))
    }

    /// What is wrong once a host has started on what is left and let everything end.
    private func faults(
        seed: UInt64, _ disk: RecordedDisk, isLying: Bool = false
    ) throws -> [String] {
        var generator = SeededGenerator(seed: seed)
        // Half of them as soon as somebody was told something.
        let end =
            seed.isMultiple(of: 2)
            ? disk.told.randomElement(using: &generator).map { $0 + 1 } ?? disk.count
            : Int.random(in: 0...disk.count, using: &generator)
        let losses = RecordedDisk.Loss.allCases
        let left = disk.failing(
            before: end, losing: losses[Int(seed / 2) % losses.count], isLying: isLying,
            using: &generator)
        let directory = try TemporaryDirectory()
        let store = directory.path("store")
        try FileManager.default.createDirectory(
            atPath: store, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        for (name, bytes) in left.files {
            try directory.write(bytes, to: "store/\(name)")
            chmod("\(store)/\(name)", 0o600)
        }
        let harness = try RunningHarness([store, "drain"])
        let ending = harness.finish()
        guard ending == .exited(0) else {
            return ["\(ending) at \(end): \(harness.records.suffix(3))"]
        }
        return HistoryCheck(left.told + harness.records, try StoreContents(of: store)).faults
    }

    @Test("keeps all that was acknowledged, whatever was not on the disk yet")
    func random() throws {
        let disk = try Self.recorded.get()
        #expect(disk.told.count > 40)
        var wrong: [String] = []
        let count: UInt64 = Torture.isWanted ? 200 : 12
        for seed in 0..<count {
            let faults = try faults(seed: seed, disk)
            if !faults.isEmpty { wrong.append("seed \(seed): \(faults.prefix(3))") }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5).joined(separator: "\n"))")
        Torture.tell(
            "the power failed \(count) times in \(disk.count) writes, and \(disk.told.count) were told something"
        )
    }

    @Test("would be found out by this if its disk lied")
    func lying() throws {
        let disk = try Self.recorded.get()
        let wrong = try (0..<6 as Range<UInt64>).filter {
            try !faults(seed: $0 * 2, disk, isLying: true).isEmpty
        }
        #expect(!wrong.isEmpty)
    }
}
