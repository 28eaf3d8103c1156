// SPDX-License-Identifier: Apache-2.0

/// A service of the system's bus that knows something of the machine, and the object that tells it.
struct BusService: Hashable {
    /// The name on the bus.
    let name: String
    let path: String
    let interface: String

    /// Power from outside: https://upower.freedesktop.org/docs/UPower.html
    static let power = BusService(
        name: "org.freedesktop.UPower", path: "/org/freedesktop/UPower",
        interface: "org.freedesktop.UPower")
    /// All batteries together, of the same service.
    static let battery = BusService(
        name: "org.freedesktop.UPower", path: "/org/freedesktop/UPower/devices/DisplayDevice",
        interface: "org.freedesktop.UPower.Device")
    /// Users, sleep and shutdown: org.freedesktop.login1(5).
    static let login = BusService(
        name: "org.freedesktop.login1", path: "/org/freedesktop/login1",
        interface: "org.freedesktop.login1.Manager")
    /// Networks: https://networkmanager.dev/docs/api/latest/
    static let network = BusService(
        name: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager",
        interface: "org.freedesktop.NetworkManager")
    /// Modes of saving power, by the name since version 0.20 of power-profiles-daemon.
    static let profiles = BusService(
        name: "org.freedesktop.UPower.PowerProfiles",
        path: "/org/freedesktop/UPower/PowerProfiles",
        interface: "org.freedesktop.UPower.PowerProfiles")
    /// The same, by its name before.
    static let oldProfiles = BusService(
        name: "net.hadess.PowerProfiles", path: "/net/hadess/PowerProfiles",
        interface: "net.hadess.PowerProfiles")
    /// The machine's time zone: org.freedesktop.timedate1(5). It runs only while a program calls it.
    static let zone = BusService(
        name: "org.freedesktop.timedate1", path: "/org/freedesktop/timedate1",
        interface: "org.freedesktop.timedate1")

    static let all = [power, battery, login, network, profiles, oldProfiles, zone]

    /// The names on the bus, each once.
    static let names = Array(Set(all.map(\.name))).sorted()
}
