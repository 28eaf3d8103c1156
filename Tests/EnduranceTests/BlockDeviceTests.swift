// SPDX-License-Identifier: Apache-2.0
import Foundation
import Scheduling
import TestSupport
import Testing

@Suite(
    "A real file system whose power fails", .timeLimit(.minutes(10)),
    .enabled(if: BlockDevice.canMount, BlockDevice.cannotMount))
struct BlockDeviceTests {
    private let device: BlockDevice

    init() throws { device = try BlockDevice() }

    private func start(_ script: String = "exec \"$@\"") throws -> RunningHarness {
        try RunningHarness([device.store, "serve"], wrapper: device.wrapper(script))
    }

    /// Returns the refusal; nil: it was taken in.
    private func submit(_ key: String, _ harness: RunningHarness) throws -> Record? {
        harness.order("submit quick \(key)")
        let answer = try harness.wait(for: ["ack", "refused"]) { $0[0] == key }
        return answer.kind == "ack" ? nil : answer
    }

    /// What is wrong with what the power would leave now.
    private func faults(_ harness: RunningHarness) throws -> [String] {
        let left = try device.contents(from: harness.harnessProcess)
        return HistoryCheck(harness.records, left, isDrained: false).faults
    }

    @Test("keeps what was acknowledged by a host, at each moment")
    func plain() throws {
        let harness = try start()
        try harness.wait(for: "ready")
        try harness.perform("pause")
        for round in 0..<(Torture.isWanted ? 30 : 4) {
            #expect(try submit("p.\(round)", harness) == nil)
            let faults = try faults(harness)
            #expect(faults == [], "\(round)")
        }
        harness.order("stop")
        #expect(harness.finish() == .exited(0))
    }

    /// A copy that SQLite makes, and each backup of an earlier version, has no log.
    @Test("keeps what was acknowledged after a backup was taken back")
    func restored() throws {
        let restoring = """
            "$1" "$2" drain --name o --count 2 >/dev/null
            sqlite3 "$2/requests.db" "VACUUM INTO '$2/copy'"
            rm -f "$2"/requests.db*
            mv "$2/copy" "$2/requests.db"
            chmod 600 "$2/requests.db"
            sync -f "$2"
            exec "$@"
            """
        let harness = try start(restoring)
        try harness.wait(for: "ready")
        try harness.perform("pause")
        for round in 0..<(Torture.isWanted ? 60 : 4) {
            #expect(try submit("r.\(round)", harness) == nil)
            let left = try device.contents(from: harness.harnessProcess)
            let keys = left.requests.compactMap(\.description.key)
            #expect(keys.contains("r.\(round)"))
            #expect(left.damage == [])
        }
        harness.order("stop")
        #expect(harness.finish() == .exited(0))
    }

    @Test(
        "keeps what was acknowledged while a thin volume had no room, and after it had",
        arguments: Torture.isWanted ? [0, 4_096, 8_192, 20_480, 45_056] : [0, 20_480],
        [false, true])
    func thin(headroom: Int, isKilled: Bool) throws {
        // The second one goes on with what the first one left.
        let harness = try start(isKilled ? "\"$@\" || true; exec \"$@\"" : "exec \"$@\"")
        var process = try #require(pid_t(try harness.wait(for: "ready")[1]))
        try harness.perform("pause")
        #expect(try submit("t.0", harness) == nil)
        try harness.perform("fill \(device.ballast) \(headroom)")
        var refusal: Record?
        for number in 1..<400 where refusal == nil {
            refusal = try submit("f.\(number)", harness)
        }
        #expect(refusal?[1] == "CURFEW_STORE_UNKNOWN")
        #expect(refusal?[2].contains("the same key") == true)
        for number in 1...3 { _ = try submit("g.\(number)", harness) }
        try harness.perform("remove \(device.ballast)")
        if isKilled {
            kill(process, SIGKILL)
            process = try #require(pid_t(try harness.wait(for: "ready")[1]))
            try harness.perform("pause")
        }
        for number in 1...5 { #expect(try submit("h.\(number)", harness) == nil) }
        let left = try device.contents(from: process)
        let faults = HistoryCheck(harness.records, left, isDrained: false).faults
        #expect(faults == [])
        harness.order("stop")
        #expect(harness.finish() == .exited(0))
        Torture.tell(
            "\(harness.records.count { $0.kind == "ack" }) acknowledged around a thin volume with \(headroom) bytes left"
        )
    }

    /// The host does not write, and so does not hear of the first command's error.
    @Test("keeps what a command was told beside a host, after another one had found no room")
    func commands() throws {
        let harness = try start()
        let process = try #require(pid_t(try harness.wait(for: "ready")[1]))
        try harness.perform("pause")
        #expect(try submit("t.0", harness) == nil)
        func command(_ name: String, _ count: Int) throws -> RunningHarness {
            try RunningHarness(
                [device.store, "client", "--name", name, "--count", "\(count)"],
                wrapper: ["nsenter", "-t", "\(process)", "-m"])
        }
        try harness.perform("fill \(device.ballast) 0")
        let refused = try command("c", 400)
        #expect(refused.finish() == .exited(3))
        #expect(refused.records.last?[0] == "unknown", "\(refused.records.suffix(2))")
        try harness.perform("remove \(device.ballast)")
        let told = try command("d", 5)
        #expect(told.finish() == .exited(0))
        let left = try device.contents(from: process)
        let records = harness.records + refused.records + told.records
        #expect(HistoryCheck(records, left, isDrained: false).faults == [])
        harness.order("stop")
        #expect(harness.finish() == .exited(0))
    }
}
