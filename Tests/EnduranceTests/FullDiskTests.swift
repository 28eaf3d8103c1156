// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("A full disk", .timeLimit(.minutes(5)))
struct FullDiskTests {
    /// A disk of 6 MiB, whose store is copied beside it in the end.
    private static let disk =
        "mount -t tmpfs -o size=6m none \"$0\" && \"$@\"; code=$?; cp -a \"$0/store\" \"$0.kept\"; exit $code"

    @Test(
        "refuses what comes, keeps what was acknowledged, and tells with room what ended without",
        .enabled(if: Surrounding.canMount, Surrounding.cannotMount),
        // From none to where the log is carried over, which needs room in the database itself.
        arguments: [0, 4_096, 40_960, 400_000, 4_050_000, 4_150_000, 4_250_000])
    func full(headroom: Int) throws {
        let directory = try TemporaryDirectory()
        let mount = directory.path("disk")
        try FileManager.default.createDirectory(
            atPath: mount, withIntermediateDirectories: false)
        let harness = try RunningHarness(
            ["\(mount)/store", "serve"], wrapper: Surrounding.mounting(Self.disk, at: mount))
        try harness.wait(for: "ready")
        harness.order("submit held d.0.0.held")
        try harness.wait(for: "run")
        try harness.perform("fill \(mount)/ballast \(headroom)")

        let refusal = try #require(try submitUntilRefused(harness, "d.1"))
        #expect(refusal[1] == "CURFEW_STORE_FULL")
        #expect(refusal[2].contains("make room"))
        // Where its end cannot be written down, it is told once it is.
        harness.order("open")
        // What needs less than the one that was refused may still have found room.
        #expect(try submitUntilRefused(harness, "d.2") != nil)

        try harness.perform("remove \(mount)/ballast")
        harness.order("submit quick d.3.0.quick")
        try harness.wait(for: "done") { $0[0] == "d.3.0.quick" }
        harness.order("await")
        try harness.wait(for: "ended")
        harness.order("state 1")
        let held = try harness.wait(for: "state")
        #expect(held[1] == "finished" && held[2] == "succeeded" && held[3] == "1")
        harness.order("stop")
        #expect(harness.finish() == .exited(0))
        #expect(harness.records.count { $0.kind == "done" && $0[0] == "d.0.0.held" } == 1)
        let faults = HistoryCheck(harness.records, try StoreContents(of: "\(mount).kept")).faults
        #expect(faults.count == 0, "\(faults.prefix(5))")
        Torture.tell(
            "\(harness.records.count { $0.kind == "ack" }) acknowledged beside a full disk with \(headroom) bytes left"
        )
    }

    /// Returns the refusal; nil: all were taken in.
    private func submitUntilRefused(_ harness: RunningHarness, _ name: String) throws -> Record? {
        for number in 0..<5_000 {
            harness.order("submit quick \(name).\(number).quick")
            try harness.wait(for: "did")
            let refused = harness.records.last { $0.kind == "refused" && $0[0].hasPrefix(name) }
            if let refused { return refused }
        }
        return nil
    }

    /// The host ends while a task runs, the next one finds no room, and the one after that finds it.
    /// In between a command brings the log over into the database, which would make room.
    @Test(
        "says so at a start after a crash, and loses nothing by that",
        .enabled(if: Surrounding.canMount, Surrounding.cannotMount))
    func recovery() throws {
        let directory = try TemporaryDirectory()
        let mount = directory.path("disk")
        try FileManager.default.createDirectory(
            atPath: mount, withIntermediateDirectories: false)
        let script = """
            mount -t tmpfs -o size=1m none "$0" || exit 99
            "$1" "$2" drain --name f --count 8 --threads 2 --crash handler-entered:2
            "$1" "$2" client --name g --count 1
            dd if=/dev/zero of="$0/ballast" bs=4096 2>/dev/null
            "$1" "$2" drain
            echo "between\t$?"
            rm "$0/ballast"
            "$1" "$2" drain
            code=$?
            cp -a "$0/store" "$0.kept"
            exit $code
            """
        let harness = try RunningHarness(
            ["\(mount)/store"], wrapper: Surrounding.mounting(script, at: mount))
        #expect(harness.finish() == .exited(0))
        let refused = try #require(harness.records.first { $0.kind == "error" })
        #expect(refused[0] == "CURFEW_STORE_FULL")
        #expect(harness.records.first { $0.kind == "between" }?[0] == "3")
        let faults = HistoryCheck(harness.records, try StoreContents(of: "\(mount).kept")).faults
        #expect(faults.count == 0, "\(faults.prefix(5))")
    }
}
