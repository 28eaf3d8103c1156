// SPDX-License-Identifier: Apache-2.0
import Foundation
import Scheduling
import Surroundings
import Testing

@Suite("A network")
struct NetworkSourceTests {
    private static let head = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n"
    private static let lan = "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\n"
    private static func ipv4(_ interface: String, flags: String = "0003") -> String {
        "\(interface)\t00000000\t010200C0\t\(flags)\t0\t0\t0\t00000000\n"
    }
    private static func ipv6(_ interface: String, flags: String = "00000003") -> String {
        let none = String(repeating: "0", count: 32)
        let hop = "fd000000000000000000000000000001"
        return "\(none) 00 \(none) 00 \(hop) 00000400 00000002 00000000 \(flags) \(interface)\n"
    }

    private static func read(
        _ ipv4: String?, _ ipv6: String? = nil, state: [String: String] = ["eth0": "up\n"],
        carrier: String? = nil
    ) throws -> FactorReading {
        let tree = try FileTree()
        if let ipv4 { try tree.write(ipv4, to: "proc/net/route") }
        if let ipv6 { try tree.write(ipv6, to: "proc/net/ipv6_route") }
        for (name, state) in state {
            try tree.write(state, to: "sys/class/net/\(name)/operstate")
            if let carrier { try tree.write(carrier, to: "sys/class/net/\(name)/carrier") }
        }
        return NetworkSource(proc: tree.proc, sys: tree.sys).reading(.network)
    }

    @Test("a default route through an interface that is up is a network")
    func routes() throws {
        let reading = try Self.read(Self.head + Self.ipv4("eth0") + Self.lan)
        #expect(reading.state == .yes)
        #expect(reading.detail == "IPv4 default route through eth0, which is up")
        #expect(reading.source.hasSuffix("/proc/net/route"))
        let six = try Self.read(Self.head, Self.ipv6("eth0"))
        #expect(six.state == .yes)
        #expect(six.detail == "IPv6 default route through eth0, which is up")
    }

    @Test("loopback, a route that rejects, one that is down, and a mere neighbourhood are none")
    func none() throws {
        #expect(try Self.read(Self.head).state == .no)
        #expect(try Self.read(Self.head + Self.lan).detail == "no default route")
        #expect(try Self.read(Self.head + Self.ipv4("lo")).state == .no)
        #expect(try Self.read(Self.head + Self.ipv4("eth0", flags: "0201")).state == .no)
        #expect(try Self.read(Self.head + Self.ipv4("eth0", flags: "0000")).state == .no)
        #expect(try Self.read(Self.head, Self.ipv6("lo", flags: "00200200")).state == .no)
    }

    @Test(
        "an interface without a link is no network",
        arguments: [
            "down", "dormant", "lowerlayerdown", "notpresent", "testing",
        ])
    func down(state: String) throws {
        let reading = try Self.read(Self.head + Self.ipv4("eth0"), state: ["eth0": state + "\n"])
        #expect(reading.state == .no)
        #expect(reading.detail == "the default route goes through eth0, which is \(state)")
    }

    @Test("an interface has the name that the kernel gives it, byte for byte")
    func oddNames() throws {
        // A blank, or a line end's CR, and what follows can be one character of Swift's.
        for name in ["\u{301}wg", "eth0\u{301}", "wg\r", "\u{600}wg"] {
            let route = Self.head + Self.ipv4(name)
            let (state, six) = ([name: "down\n"], Self.ipv6(name))
            #expect(try Self.read(route, state: state).state == .no, "\(name)")
            #expect(try Self.read(Self.head, six, state: state).state == .no, "\(name)")
            #expect(try Self.read(route, state: [name: "up\n"]).state == .yes, "\(name)")
        }
        // Repaired, it would be the name of the other one.
        let tree = try FileTree()
        try tree.write(Self.head + Self.ipv4("wg#"), to: "proc/net/route")
        let file = tree.proc + "/net/route"
        let route = try Data(contentsOf: URL(fileURLWithPath: file))
        try Data(route.map { $0 == UInt8(ascii: "#") ? 0xFF : $0 })
            .write(to: URL(fileURLWithPath: file))
        try tree.write("down\n", to: "sys/class/net/wg\u{FFFD}/operstate")
        let reading = NetworkSource(proc: tree.proc, sys: tree.sys).reading(.network)
        #expect(reading.state == .yes)
        #expect(reading.detail.hasSuffix("which is of unknown state"))
    }

    @Test("a tunnel keeps no state, and is up unless it has no carrier")
    func tunnel() throws {
        let route = Self.head + Self.ipv4("wg0")
        #expect(try Self.read(route, state: ["wg0": "unknown\n"]).state == .yes)
        #expect(try Self.read(route, state: ["wg0": "unknown\n"], carrier: "1\n").state == .yes)
        #expect(try Self.read(route, state: ["wg0": "unknown\n"], carrier: "0\n").state == .no)
    }

    @Test("the second of two routes counts when the first one's link is down")
    func second() throws {
        let reading = try Self.read(
            Self.head + Self.ipv4("eth0") + Self.ipv4("wlan0"),
            state: ["eth0": "down\n", "wlan0": "up\n"])
        #expect(reading.state == .yes)
        #expect(reading.detail.contains("wlan0"))
    }

    @Test("without the kernel's tables nothing is known, but IPv6 may be absent")
    func absent() throws {
        let reading = try Self.read(nil)
        #expect(reading.state == .unknown)
        #expect(reading.detail.hasSuffix("/proc/net/route: No such file or directory"))
        #expect(try Self.read("").state == .unknown)
    }

    @Test("a table that is too long is no proof that there is no route")
    func long() throws {
        let many = String(repeating: Self.lan, count: 3_000)
        #expect(try Self.read(Self.head + many).state == .unknown)
        #expect(try Self.read(Self.head + Self.ipv4("eth0") + many).state == .yes)
    }

    @Test("a name that is a path leads nowhere")
    func path() throws {
        #expect(try Self.read(Self.head + Self.ipv4("../../secret")).state == .no)
        #expect(try Self.read(Self.head + Self.ipv4("..")).state == .no)
    }
}
