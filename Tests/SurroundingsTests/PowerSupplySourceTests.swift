// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Surroundings
import Testing

@Suite("Power from outside, and batteries")
struct PowerSupplySourceTests {
    private static func tree(_ supplies: [String: [String: String]]) throws -> FileTree {
        let tree = try FileTree()
        try tree.makeDirectory("sys/class/power_supply")
        for (name, files) in supplies {
            for (file, text) in files {
                try tree.write(text + "\n", to: "sys/class/power_supply/\(name)/\(file)")
            }
        }
        return tree
    }

    private static func mains(_ online: String) -> [String: String] {
        ["type": "Mains", "online": online]
    }

    private static func battery(
        _ status: String, _ capacity: String, _ more: [String: String] = [:]
    ) -> [String: String] {
        ["type": "Battery", "present": "1", "status": status, "capacity": capacity]
            .merging(more) { $1 }
    }

    private static func read(
        _ supplies: [String: [String: String]]
    ) throws -> (external: FactorReading, battery: FactorReading) {
        let tree = try tree(supplies)
        let source = PowerSupplySource(sys: tree.sys)
        return (source.reading(.externalPower), source.reading(.battery))
    }

    @Test("a machine without any supply is fed from outside and has no battery")
    func desktop() throws {
        let (external, battery) = try Self.read([:])
        #expect(external.state == .yes)
        #expect(
            external.detail == "no power supply is known: a desktop, server or virtual machine")
        #expect(battery.state == .yes)
    }

    @Test("a kernel without power supplies has none, a machine without sysfs says nothing")
    func absent() throws {
        let kernel = try FileTree(["sys/class/net/lo/operstate": "unknown"])
        #expect(PowerSupplySource(sys: kernel.sys).reading(.externalPower).state == .yes)
        let container = try FileTree()
        let reading = PowerSupplySource(sys: container.sys).reading(.externalPower)
        #expect(reading.state == .unknown)
        #expect(reading.detail.hasSuffix("class/power_supply: No such file or directory"))
    }

    @Test("a laptop on battery says how much is left")
    func onBattery() throws {
        let (external, battery) = try Self.read([
            "AC": Self.mains("0"), "BAT0": Self.battery("Discharging", "45"),
        ])
        #expect(external.state == .no)
        #expect(external.detail == "on battery, 45 %")
        #expect(external.source.hasSuffix("/class/power_supply/BAT0"))
        #expect(battery.state == .yes)
        #expect(battery.detail == "BAT0 discharging, 45 %")
    }

    @Test("one supply that is online is enough")
    func oneOfTwo() throws {
        let usb = ["type": "USB_C", "online": "1"]
        let (external, _) = try Self.read([
            "AC": Self.mains("0"), "ucsi": usb, "BAT0": Self.battery("Charging", "45"),
        ])
        #expect(external.state == .yes)
        #expect(external.detail == "ucsi is online")
    }

    @Test("a desktop's ports that never come online do not make it a laptop")
    func portsOfDesktop() throws {
        let (external, _) = try Self.read(["ucsi": ["type": "USB", "online": "0"]])
        #expect(external.state == .yes)
    }

    @Test("supplies that are offline count where a battery could feed the machine")
    func offlineAndFull() throws {
        let (external, _) = try Self.read([
            "AC": Self.mains("0"), "BAT0": Self.battery("Full", "100"),
        ])
        #expect(external.state == .no)
        #expect(external.detail == "AC is offline")
    }

    @Test(
        "without a supply for mains, the battery tells",
        arguments: [
            ("Charging", FactorState.yes), ("Full", .yes), ("Not charging", .yes),
            ("Discharging", .no), ("Unknown", .unknown), ("Glowing", .unknown),
        ])
    func batteryAlone(status: String, state: FactorState) throws {
        #expect(try Self.read(["BAT0": Self.battery(status, "50")]).external.state == state)
    }

    @Test("a mouse's battery and an empty bay are none of the machine's")
    func others() throws {
        let (external, battery) = try Self.read([
            "hidpp_battery_0": Self.battery("Discharging", "3", ["scope": "Device"]),
            "BAT1": Self.battery("Discharging", "3", ["present": "0"]),
        ])
        #expect(external.state == .yes)
        #expect(battery.state == .yes)
        #expect(battery.detail == "no battery is known")
    }

    @Test("below 20 % and discharging is nearly empty, also where mains give too little")
    func nearlyEmpty() throws {
        #expect(try Self.read(["BAT0": Self.battery("Discharging", "20")]).battery.state == .yes)
        #expect(try Self.read(["BAT0": Self.battery("Discharging", "19")]).battery.state == .no)
        #expect(try Self.read(["BAT0": Self.battery("Charging", "5")]).battery.state == .yes)
        let weak = try Self.read([
            "AC": Self.mains("1"), "BAT0": Self.battery("Discharging", "5"),
        ])
        #expect(weak.external.state == .yes)
        #expect(weak.battery.state == .no)
        #expect(try Self.read(["BAT0": Self.battery("Unknown", "5")]).battery.state == .no)
    }

    @Test("several batteries count together, each for what it takes")
    func several() throws {
        func read(_ first: [String: String], _ second: [String: String]) throws -> FactorReading {
            try Self.read([
                "BAT0": Self.battery("Discharging", "5", first),
                "BAT1": Self.battery("Unknown", "60", second),
            ]).battery
        }
        // As many percent of each: 32.
        #expect(try read([:], [:]).state == .yes)
        // (5 × 90 + 60 × 10) / 100: 10.
        let reading = try read(["energy_full": "90000"], ["energy_full": "10000"])
        #expect(reading.state == .no)
        #expect(reading.detail == "BAT0 discharging, 5 %; BAT1 unknown, 60 %")
    }

    @Test(
        "a battery that knows no percents may know a level",
        arguments: [
            ("Critical", FactorState.no), ("Low", .no), ("Normal", .yes), ("Unknown", .unknown),
        ])
    func levels(level: String, state: FactorState) throws {
        let battery = ["type": "Battery", "status": "Discharging", "capacity_level": level]
        #expect(try Self.read(["BAT0": battery]).battery.state == state)
    }

    @Test("a battery that calls itself critical is believed, whatever percents it shows")
    func criticalLevel() throws {
        let battery = Self.battery("Discharging", "30", ["capacity_level": "Critical"])
        #expect(try Self.read(["BAT0": battery]).battery.state == .no)
    }

    @Test("a UPS that feeds the machine is no power from outside")
    func ups() throws {
        let (external, _) = try Self.read([
            "ups": ["type": "UPS", "status": "Discharging", "capacity": "80"]
        ])
        #expect(external.state == .no)
        #expect(external.detail == "on the UPS, 80 %")
    }

    @Test("what cannot be read is unknown, and names the file")
    func odd() throws {
        let (external, battery) = try Self.read([
            "AC": ["type": "Mains", "online": "-7"], "BAT0": ["type": "Battery", "status": ""],
        ])
        #expect(external.state == .unknown)
        #expect(external.detail.hasSuffix("power_supply/AC/online: -7 is not from 0 to 2"))
        #expect(battery.state == .unknown)
        #expect(battery.detail.hasSuffix("power_supply/BAT0/status: is empty"))
    }

    @Test("an embedder says what nearly empty is")
    func threshold() throws {
        let tree = try Self.tree(["BAT0": Self.battery("Discharging", "45")])
        var thresholds = MachineThresholds()
        func state() -> FactorState {
            PowerSupplySource(sys: tree.sys, thresholds: thresholds).reading(.battery).state
        }
        thresholds.lowBattery = 45
        #expect(state() == .yes)
        thresholds.lowBattery = 46
        #expect(state() == .no)
    }

    @Test("a supply that vanishes while it is read was never there")
    func vanished() throws {
        let tree = try Self.tree(["AC": Self.mains("1")])
        try tree.link("sys/class/power_supply/BAT0", to: "/nowhere/at/all")
        let source = PowerSupplySource(sys: tree.sys)
        #expect(source.reading(.externalPower).state == .yes)
        #expect(source.reading(.battery).detail == "no battery is known")
    }

    @Test(
        "the firmware's profile says whether power is saved",
        arguments: [
            ("low-power\n", FactorState.no), ("balanced", .yes), ("performance\n", .yes),
            ("turbo", .unknown), ("", .unknown),
        ])
    func profile(text: String, state: FactorState) throws {
        let tree = try FileTree(["sys/firmware/acpi/platform_profile": text])
        #expect(PowerProfileSource(sys: tree.sys).reading(.lowPowerMode).state == state)
    }

    @Test("without profiles nothing is known of saving power")
    func noProfile() throws {
        let reading = PowerProfileSource(sys: try FileTree().sys).reading(.lowPowerMode)
        #expect(reading.state == .unknown)
        #expect(reading.detail == "the platform has no profiles")
    }
}
