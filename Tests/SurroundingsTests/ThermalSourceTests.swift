// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Surroundings
import Testing

@Suite("Heat")
struct ThermalSourceTests {
    /// One zone with points at 87, 100 and 105 °C.
    private static func tree(_ temperature: String) throws -> FileTree {
        let zone = "sys/class/thermal/thermal_zone0"
        return try FileTree([
            "\(zone)/type": "x86_pkg_temp\n", "\(zone)/temp": temperature,
            "\(zone)/trip_point_0_type": "passive\n", "\(zone)/trip_point_0_temp": "87000\n",
            "\(zone)/trip_point_1_type": "hot\n", "\(zone)/trip_point_1_temp": "100000\n",
            "\(zone)/trip_point_2_type": "critical\n", "\(zone)/trip_point_2_temp": "105000\n",
            "sys/class/thermal/cooling_device0/type": "Processor\n",
        ])
    }

    @Test(
        "how hot it is follows from the distance to the trip points",
        arguments: [
            (76, "nominal", FactorState.yes), (77, "fair", .yes), (83, "fair", .yes),
            (87, "serious", .no),
            (92, "serious", .no), (100, "critical", .no),
        ])
    func levels(degrees: Int, level: String, state: FactorState) throws {
        let tree = try Self.tree("\(degrees)000\n")
        let reading = ThermalSource(sys: tree.sys).reading(.thermal)
        #expect(reading.state == state)
        #expect(reading.detail.hasPrefix("\(level): x86_pkg_temp \(degrees) °C, "))
    }

    @Test("the words name the nearest trip point, and the zone is the source")
    func words() throws {
        let below = try Self.tree("83000\n")
        let reading = ThermalSource(sys: below.sys).reading(.thermal)
        #expect(
            reading.detail == "fair: x86_pkg_temp 83 °C, 4 °C below the passive trip point")
        #expect(reading.source == below.path("sys/class/thermal/thermal_zone0"))
        let above = try Self.tree("90000\n")
        #expect(
            ThermalSource(sys: above.sys).reading(.thermal).detail
                == "serious: x86_pkg_temp 90 °C, 3 °C above the passive trip point")
    }

    @Test("a level is left only when it is clearly cooler")
    func hysteresis() throws {
        let tree = try Self.tree("86000\n")
        let source = ThermalSource(sys: tree.sys)
        func state(at temperature: Int) throws -> FactorState {
            try tree.write("\(temperature)\n", to: "sys/class/thermal/thermal_zone0/temp")
            return source.reading(.thermal).state
        }
        #expect(try state(at: 86_000) == .yes)
        #expect(try state(at: 87_000) == .no)
        #expect(try state(at: 86_000) == .no)
        #expect(try state(at: 84_000) == .no)
        #expect(try state(at: 83_900) == .yes)
        #expect(try state(at: 86_000) == .yes)
    }

    @Test("the hottest of several zones counts")
    func several() throws {
        let tree = try Self.tree("40000\n")
        let zone = "sys/class/thermal/thermal_zone1"
        try tree.write("nvme\n", to: "\(zone)/type")
        try tree.write("71000\n", to: "\(zone)/temp")
        try tree.write("critical\n", to: "\(zone)/trip_point_0_type")
        try tree.write("80000\n", to: "\(zone)/trip_point_0_temp")
        let reading = ThermalSource(sys: tree.sys).reading(.thermal)
        #expect(reading.state == .no)
        #expect(
            reading.detail == "serious: nvme 71 °C, 9 °C below the critical trip point")
    }

    @Test("points that firmware did not set are none")
    func unset() throws {
        let tree = try Self.tree("60000\n")
        for (index, text) in ["0", "-274000", "20800"].enumerated() {
            try tree.write(
                text, to: "sys/class/thermal/thermal_zone0/trip_point_\(index)_temp")
        }
        let reading = ThermalSource(sys: tree.sys).reading(.thermal)
        #expect(reading.state == .unknown)
        #expect(reading.detail == "no thermal zone has trip points to compare with")
    }

    @Test("a sensor that is broken says nothing", arguments: ["", "hot", "999999999", "-1e9"])
    func broken(text: String) throws {
        let tree = try Self.tree(text)
        let reading = ThermalSource(sys: tree.sys).reading(.thermal)
        #expect(reading.state == .unknown)
        #expect(reading.detail.contains("thermal_zone0/temp: "))
    }

    @Test("a machine without zones says nothing")
    func none() throws {
        for tree in [try FileTree(), try FileTree(["sys/class/thermal/cooling_device0/type": ""])] {
            let reading = ThermalSource(sys: tree.sys).reading(.thermal)
            #expect(reading.state == .unknown)
            #expect(reading.detail == "the machine has no thermal zones")
        }
    }
}
