// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Scheduling
import Surroundings
import Testing

@Suite("Who is there")
struct PresenceTests {
    /// 2026-07-04 12:00 in UTC.
    private static let noon: Int64 = 1_783_166_400_000_000_000

    private static func session(_ kind: String, type: String = "tty") -> String {
        "# private\nUID=1000\nUSER=ada\nACTIVE=1\nTYPE=\(type)\nCLASS=\(kind)\n"
    }

    private static func record(_ type: Int32, user: String, line: String) -> [UInt8] {
        var record = utmpx()
        record.ut_type = Int16(type)
        withUnsafeMutableBytes(of: &record.ut_user) { $0.copyBytes(from: user.utf8) }
        withUnsafeMutableBytes(of: &record.ut_line) { $0.copyBytes(from: line.utf8) }
        return withUnsafeBytes(of: record) { Array($0) }
    }

    private static let boot = record(Int32(BOOT_TIME), user: "reboot", line: "~")

    /// Somebody typed at a terminal so many seconds before noon.
    private static func type(_ name: String, _ seconds: Int, in tree: FileTree) throws {
        try tree.write("", to: "dev/\(name)")
        let time = timeval(tv_sec: Int(noon / 1_000_000_000) - seconds, tv_usec: 0)
        #expect(utimes(tree.path("dev/\(name)"), [time, time]) == 0)
    }

    private static func idle(
        _ tree: FileTree, _ thresholds: MachineThresholds = MachineThresholds()
    ) -> FactorReading {
        IdleSource(dev: tree.dev, run: tree.run, thresholds: thresholds, now: { noon })
            .reading(.idle)
    }

    // MARK: First unlock

    @Test("a session of somebody's own unlocks, a login screen does not")
    func sessions() throws {
        let tree = try FileTree(["run/systemd/sessions/c1": Self.session("greeter")])
        try tree.makeDirectory("run/systemd/system")
        let source = FirstUnlockSource(run: tree.run)
        #expect(source.reading(.firstUnlock).state == .no)
        try tree.write(Self.session("user"), to: "run/systemd/sessions/2")
        let reading = source.reading(.firstUnlock)
        #expect(reading.state == .yes)
        #expect(reading.detail == "ada has had a session")
    }

    @Test("what is unlocked stays unlocked when its session ends")
    func stays() throws {
        let tree = try FileTree(["run/systemd/sessions/2": Self.session("user")])
        try tree.makeDirectory("run/systemd/system")
        let source = FirstUnlockSource(run: tree.run)
        #expect(source.reading(.firstUnlock).state == .yes)
        try tree.remove("run/systemd/sessions/2")
        #expect(source.reading(.firstUnlock).state == .yes)
        #expect(FirstUnlockSource(run: tree.run).reading(.firstUnlock).state == .no)
    }

    @Test("directories of a system that does not run say nothing")
    func notRunning() throws {
        let tree = try FileTree()
        try tree.makeDirectory("run/systemd/sessions")
        let reading = FirstUnlockSource(run: tree.run).reading(.firstUnlock)
        #expect(reading.state == .unknown)
        #expect(reading.detail == "the system keeps no record of sessions")
    }

    @Test("a record of somebody logged in unlocks, that of the machine's start does not")
    func records() throws {
        let tree = try FileTree()
        func state(_ bytes: [UInt8]) throws -> FactorState {
            try tree.write(bytes, to: "run/utmp")
            return FirstUnlockSource(run: tree.run).reading(.firstUnlock).state
        }
        #expect(try state([]) == .unknown)
        #expect(try state(Self.boot) == .no)
        let getty = Self.record(Int32(LOGIN_PROCESS), user: "LOGIN", line: "tty1")
        #expect(try state(Self.boot + getty) == .no)
        let user = Self.record(Int32(USER_PROCESS), user: "ada", line: "tty1")
        #expect(try state(Self.boot + getty + user) == .yes)
        let gone = Self.record(Int32(DEAD_PROCESS), user: "", line: "pts/3")
        #expect(try state(Self.boot + gone) == .yes)
        let console = Self.record(Int32(DEAD_PROCESS), user: "", line: "tty1")
        #expect(try state(Self.boot + console) == .no)
    }

    // MARK: Idle

    @Test("a terminal that somebody types at is use, and after five minutes it is not")
    func terminals() throws {
        let tree = try FileTree()
        try Self.type("pts/0", 7_200, in: tree)
        try Self.type("pts/12", 299, in: tree)
        try Self.type("pts/ptmx", 1, in: tree)
        let used = Self.idle(tree)
        #expect(used.state == .no)
        #expect(used.detail == "pts/12 was used 4 min ago")
        #expect(used.source == tree.path("dev/pts/12"))
        try Self.type("pts/12", 300, in: tree)
        let idle = Self.idle(tree)
        #expect(idle.state == .yes)
        #expect(idle.detail == "no terminal was used for 5 min")
        var patient = MachineThresholds()
        patient.idleAfter = .seconds(301)
        #expect(Self.idle(tree, patient).state == .no)
    }

    @Test("without terminals nothing is known, and quiet consoles are none")
    func consoles() throws {
        let tree = try FileTree()
        #expect(Self.idle(tree).state == .unknown)
        try Self.type("tty1", 3_600, in: tree)
        try Self.type("tty", 1, in: tree)
        try Self.type("ttyS0", 1, in: tree)
        let quiet = Self.idle(tree)
        #expect(quiet.state == .unknown)
        #expect(quiet.detail == "no user has a terminal")
        try Self.type("tty1", 30, in: tree)
        #expect(Self.idle(tree).detail == "tty1 was used 30 s ago")
    }

    @Test("quiet terminals say nothing of somebody with windows and a mouse")
    func graphical() throws {
        let tree = try FileTree(["run/systemd/sessions/2": Self.session("user", type: "wayland")])
        try tree.makeDirectory("run/systemd/system")
        try Self.type("pts/0", 3_600, in: tree)
        #expect(Self.idle(tree).state == .unknown)
        // Nor do they where it cannot be known that there are only terminals.
        try tree.write(String(repeating: "x", count: 5_000), to: "run/systemd/sessions/2")
        #expect(Self.idle(tree).detail.hasSuffix("sessions/2: has more than 4096 bytes"))
        try Self.type("pts/0", 60, in: tree)
        #expect(Self.idle(tree).state == .no)
    }

    @Test("a key in the future, after the clock was set back, is use")
    func future() throws {
        let tree = try FileTree()
        try Self.type("pts/0", -3_600, in: tree)
        #expect(Self.idle(tree).state == .no)
    }
}
