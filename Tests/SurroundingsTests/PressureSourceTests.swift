// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Surroundings
import Testing

@Suite("Overload")
struct PressureSourceTests {
    private static func lines(_ some: (Double, Double), _ full: (Double, Double)?) -> String {
        let text = "some avg10=\(some.0) avg60=\(some.1) avg300=0.00 total=1\n"
        guard let full else { return text }
        return text + "full avg10=\(full.0) avg60=\(full.1) avg300=0.00 total=1\n"
    }

    private static func read(
        cpu: String = lines((0, 0), (0, 0)), memory: String = lines((0, 0), (0, 0)),
        io: String = lines((0, 0), (0, 0))
    ) throws -> FactorReading {
        let tree = try FileTree([
            "proc/pressure/cpu": cpu, "proc/pressure/memory": memory, "proc/pressure/io": io,
        ])
        return PressureSource(proc: tree.proc).reading(.pressure)
    }

    @Test("little waiting is none worth mentioning, but it is mentioned")
    func calm() throws {
        let reading = try Self.read(cpu: Self.lines((12.34, 5.67), nil))
        #expect(reading.state == .yes)
        #expect(
            reading.detail
                == "waited for in the last minute: memory 0.0 %, disks 0.0 %, processors 5.7 %")
    }

    @Test("either average beyond its limit is an overload")
    func beyond() throws {
        #expect(try Self.read(cpu: Self.lines((80, 60), nil)).state == .yes)
        let burst = try Self.read(cpu: Self.lines((80.04, 0), nil))
        #expect(burst.state == .no)
        #expect(burst.source.hasSuffix("/proc/pressure/cpu"))
        #expect(
            burst.detail
                == "processors were waited for in 80.0 % of the last 10 s, more than 80.0 %")
        #expect(try Self.read(cpu: Self.lines((0, 60.1), nil)).state == .no)
        #expect(try Self.read(memory: Self.lines((99, 99), (0, 10.1))).state == .no)
        #expect(try Self.read(io: Self.lines((99, 99), (80.1, 0))).state == .no)
    }

    @Test("of memory and disks the time counts in which everything waits, where it is known")
    func full() throws {
        #expect(try Self.read(memory: Self.lines((99, 99), (1, 1))).state == .yes)
        #expect(try Self.read(memory: Self.lines((99, 99), nil)).state == .no)
        // Of processors it is always 0 in the whole machine.
        #expect(try Self.read(cpu: Self.lines((0, 0), (99, 99))).state == .yes)
    }

    @Test("limits are the embedder's")
    func limits() throws {
        let tree = try FileTree(["proc/pressure/cpu": Self.lines((50, 1), nil)])
        var strict = MachineThresholds()
        strict.processorPressure = PressureLimit(tenSeconds: 40, minute: 40)
        let source = PressureSource(proc: tree.proc, thresholds: strict)
        #expect(source.reading(.pressure).state == .no)
        #expect(PressureSource(proc: tree.proc).reading(.pressure).state == .yes)
    }

    @Test("what cannot be read is told beside what can")
    func partly() throws {
        let reading = try Self.read(io: "")
        #expect(reading.state == .yes)
        #expect(reading.detail.hasSuffix("/proc/pressure/io: has no averages"))
    }

    @Test("a kernel that does not measure says nothing")
    func absent() throws {
        let reading = PressureSource(proc: try FileTree().proc).reading(.pressure)
        #expect(reading.state == .unknown)
        #expect(reading.detail == "the kernel does not measure pressure")
    }

    @Test(
        "numbers that are none are no averages",
        arguments: [
            "some avg10=nan avg60=nan", "some avg10=-1 avg60=0", "some avg10=1e9 avg60=0",
            "some avg10= avg60=", "some", "avg10=0 avg60=0",
        ])
    func odd(text: String) throws {
        let tree = try FileTree(["proc/pressure/cpu": text])
        #expect(PressureSource(proc: tree.proc).reading(.pressure).state == .unknown)
    }
}
