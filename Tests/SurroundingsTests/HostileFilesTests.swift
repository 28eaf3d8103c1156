// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Scheduling
import Surroundings
import Testing

@Suite("Files that are odd or hostile")
struct HostileFilesTests {
    private static let files = [
        "sys/class/power_supply/AC/type", "sys/class/power_supply/AC/online",
        "sys/class/power_supply/BAT0/type", "sys/class/power_supply/BAT0/status",
        "sys/class/power_supply/BAT0/capacity", "sys/class/power_supply/BAT0/capacity_level",
        "sys/class/power_supply/BAT0/energy_full", "sys/class/power_supply/BAT0/present",
        "sys/firmware/acpi/platform_profile", "sys/class/thermal/thermal_zone0/type",
        "sys/class/thermal/thermal_zone0/temp", "sys/class/thermal/thermal_zone0/trip_point_0_type",
        "sys/class/thermal/thermal_zone0/trip_point_0_temp", "proc/net/route",
        "proc/net/ipv6_route", "sys/class/net/eth0/operstate", "sys/class/net/eth0/carrier",
        "proc/pressure/cpu", "proc/pressure/memory", "proc/pressure/io", "run/utmp",
        "run/systemd/sessions/1", "run/systemd/system/x", "dev/pts/0", "dev/tty1",
    ]
    /// What the files say on good days, to be broken in places.
    private static let good: [String: String] = [
        "type": "Battery\n", "status": "Discharging\n", "temp": "50000\n",
        "trip_point_0_type": "passive\n", "trip_point_0_temp": "87000\n", "operstate": "up\n",
        "route": "Iface\tDestination\n\neth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n",
        "cpu": "some avg10=1.00 avg60=2.00 avg300=0.00 total=1\n",
    ]

    private static func sources(_ tree: FileTree) -> [any FactorSource] {
        [
            PowerSupplySource(sys: tree.sys), PowerProfileSource(sys: tree.sys),
            ThermalSource(sys: tree.sys), NetworkSource(proc: tree.proc, sys: tree.sys),
            PressureSource(proc: tree.proc), FirstUnlockSource(run: tree.run),
            IdleSource(dev: tree.dev, run: tree.run),
        ]
    }

    /// Each source answers for all of its factors, in one readable line.
    private static func check(_ tree: FileTree, _ comment: Comment) {
        for source in sources(tree) {
            let readings = source.read()
            #expect(Set(readings.keys) == source.factors, comment)
            for reading in readings.values {
                #expect(!reading.detail.isEmpty && reading.detail.utf8.count < 1_000, comment)
                let isPlain = (reading.detail + reading.source).unicodeScalars
                    .allSatisfy { $0.value >= 0x20 && $0.value < 0x7F || $0 == "°" }
                #expect(isPlain, comment)
            }
        }
    }

    @Test("random bytes in every file change what is said, and nothing else", arguments: 0..<40)
    func random(seed: UInt64) throws {
        var random = Linear(state: seed)
        let tree = try FileTree()
        for file in Self.files {
            let name = String(file.split(separator: "/").last ?? "")
            var bytes = Array((Self.good[name] ?? "").utf8)
            switch random.next() % 4 {
            case 0: bytes = (0..<Int(random.next() % 600)).map { _ in UInt8(random.next() & 255) }
            case 1: bytes = Array(repeating: UInt8(random.next() & 255), count: 9_000)
            case 2: bytes = Array("\(Int64(bitPattern: random.next() << 8))".utf8)
            default:
                for _ in 0..<3 where !bytes.isEmpty {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() & 255)
                }
            }
            try tree.write(bytes, to: file)
        }
        Self.check(tree, "seed \(seed)")
    }

    @Test(
        "directories, pipes, devices without end and loops of links are no files",
        arguments: [
            "directory", "/dev/zero", "/proc/self/mem", "loop", "pipe",
        ])
    func kinds(kind: String) throws {
        let tree = try FileTree()
        for file in Self.files {
            switch kind {
            case "directory": try tree.makeDirectory(file)
            case "loop": try tree.link(file, to: tree.path(file))
            case "pipe":
                try tree.write("", to: file)
                try tree.remove(file)
                #expect(mkfifo(tree.path(file), 0o600) == 0)
            default: try tree.link(file, to: kind)
            }
        }
        Self.check(tree, "\(kind)")
        let reading = NetworkSource(proc: tree.proc, sys: tree.sys).reading(.network)
        #expect(reading.state == .unknown)
        #expect(reading.detail.contains("proc/net/route: "))
    }

    @Test("an error of a driver is told with the file's name and the error's text")
    func driverError() throws {
        // Reading where nothing is mapped is an EIO, as a driver would answer.
        let tree = try FileTree()
        try tree.link("sys/firmware/acpi/platform_profile", to: "/proc/self/mem")
        let reading = PowerProfileSource(sys: tree.sys).reading(.lowPowerMode)
        #expect(reading.state == .unknown)
        #expect(reading.detail == "\(reading.source): Input/output error")
    }

    @Test("no descriptor is left open")
    func descriptors() throws {
        let tree = try FileTree(["proc/net/route": "", "sys/class/power_supply/AC/type": "Mains"])
        let sources = Self.sources(tree)
        // Other tests run beside this one: a leak would go on with each reading.
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for _ in 0..<200 { for source in sources { _ = source.read() } }
        let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        #expect(after < before + 150)
    }

    @Test("paths that cannot be are told")
    func paths() {
        let reading = PowerProfileSource(sys: "/sys\0/x").reading(.lowPowerMode)
        #expect(reading.state == .unknown)
        #expect(reading.detail.contains("zero byte"))
    }

    @Test("this machine's own sources answer")
    func thisMachine() {
        let sources: [any FactorSource] = [
            PowerSupplySource(), PowerProfileSource(), ThermalSource(), NetworkSource(),
            PressureSource(), FirstUnlockSource(), IdleSource(),
        ]
        var told: Set<Factor> = []
        for source in sources {
            let readings = source.read()
            #expect(Set(readings.keys) == source.factors)
            told.formUnion(readings.keys)
        }
        #expect(told == Set(Factor.allCases.filter(\.isSettable)))
    }
}

/// Numbers that are the same in each run.
private struct Linear {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 29
    }
}
