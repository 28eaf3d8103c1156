// SPDX-License-Identifier: Apache-2.0

/// A power supply in /sys/class/power_supply. See Documentation/ABI/testing/sysfs-class-power of
/// Linux.
struct PowerSupply {
    enum Kind { case mains, battery, ups }

    enum Flow: String {
        case charging = "Charging"
        case discharging = "Discharging"
        case resting = "Not charging"
        case full = "Full"
        case unknown = "Unknown"
    }

    let name: String
    let path: String
    let kind: Kind
    /// Whether the mains supply power; nil if unknown.
    private(set) var isOnline: Bool?
    private(set) var flow: Flow = .unknown
    /// Percent; nil where the battery does not say.
    private(set) var capacity: Int?
    /// "Critical", "Low", "Normal", …; nil where the battery does not say.
    private(set) var level: String?
    /// The energy of the full battery, to weigh several batteries.
    private(set) var energyWhenFull: Int?
    /// The fault of a required file.
    private(set) var fault: FileFault?

    /// Nil for what does not feed the machine: a mouse's battery, an empty bay, something unheard of.
    init?(name: String, path: String) throws(FileFault) {
        self.name = Shown.text(name, longest: 32)
        self.path = path
        if (try? TextFile(path + "/scope").word()) == "Device" { return nil }
        switch try TextFile(path + "/type").word() {
        case "Mains", "Wireless": kind = .mains
        case let type where type.hasPrefix("USB") || type.hasPrefix("BrickID"): kind = .mains
        case "Battery": kind = .battery
        case "UPS": kind = .ups
        default: return nil
        }
        if kind == .mains {
            readMains()
        } else {
            if (try? TextFile(path + "/present").number(in: 0...1)) == 0 { return nil }
            readBattery()
        }
    }

    private mutating func readMains() {
        do {
            // 2 is also online: a supply whose voltage was agreed upon.
            isOnline = try TextFile(path + "/online").number(in: 0...2) > 0
        } catch { fault = error }
    }

    private mutating func readBattery() {
        do throws(FileFault) {
            let file = TextFile(path + "/status")
            let word = try file.word()
            guard let known = Flow(rawValue: word) else {
                throw FileFault(file.path, "\"\(word)\" is no status of a battery")
            }
            flow = known
        } catch { fault = error }
        let level = try? TextFile(path + "/capacity_level").word()
        self.level = level == "Unknown" ? nil : level
        do {
            // Some say a little more than all.
            capacity = min(try TextFile(path + "/capacity").number(in: 0...110), 100)
        } catch { if self.level == nil, fault == nil { fault = error } }
        energyWhenFull = try? TextFile(path + "/energy_full").number(in: 1...1_000_000_000_000)
    }

    /// "BAT0 discharging, 45 %"
    var description: String {
        let charge =
            capacity.map { ", \($0) %" } ?? level.map { ", \(Shown.text($0).lowercased())" }
        return "\(name) \(flow.rawValue.lowercased())\(charge ?? "")"
    }
}
