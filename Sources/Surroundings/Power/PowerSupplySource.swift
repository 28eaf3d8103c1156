// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Whether power comes from outside, and how empty the batteries are: /sys/class/power_supply.
///
/// There is external power if a mains supply is online, or if no battery could supply the machine
/// instead: desktops, servers and virtual machines have no supplies, or ports that never come
/// online. An online supply need not suffice: a nearly empty battery is a factor of its own.
package struct PowerSupplySource: FactorSource {
    private let directory: String
    private let parent: String
    /// The percentage below which a battery that is not charging counts as nearly empty.
    private let lowest: Int

    /// - Parameter sys: where sysfs is.
    package init(sys: String = "/sys", thresholds: MachineThresholds = MachineThresholds()) {
        parent = sys + "/class"
        directory = sys + "/class/power_supply"
        lowest = thresholds.lowBattery
    }

    package var factors: Set<Factor> { [.externalPower, .battery] }

    package func read() -> [Factor: FactorReading] {
        var supplies: [PowerSupply] = []
        var fault: FileFault?
        do {
            for name in try names().prefix(Self.most) {
                do {
                    let supply = try PowerSupply(name: name, path: "\(directory)/\(name)")
                    if let supply { supplies.append(supply) }
                } catch let odd where !odd.isGone(from: "\(directory)/\(name)") {
                    fault = fault ?? odd
                } catch {
                    // It was pulled out in between.
                }
            }
        } catch { fault = error }
        return [
            .externalPower: externalPower(supplies, fault),
            .battery: battery(supplies, fault),
        ]
    }

    /// The maximum number of supplies that are read.
    private static let most = 64

    /// A kernel without power supplies has no such directory; a container may have no sysfs.
    private func names() throws(FileFault) -> [String] {
        do {
            return try Directory(directory).names()
        } catch {
            guard error.isMissing, (try? Directory(parent).names()) != nil else { throw error }
            return []
        }
    }

    private func externalPower(_ supplies: [PowerSupply], _ fault: FileFault?) -> FactorReading {
        let mains = supplies.filter { $0.kind == .mains }
        let batteries = supplies.filter { $0.kind != .mains }
        if let online = mains.first(where: { $0.isOnline == true }) {
            return reading(.yes, online, "\(online.name) is online")
        }
        if let used = batteries.first(where: { $0.flow == .discharging }) {
            let charge = charge(of: batteries).map { ", \($0) %" } ?? ""
            return reading(.no, used, "\(used.kind == .ups ? "on the UPS" : "on battery")\(charge)")
        }
        if let fault = fault ?? mains.lazy.compactMap(\.fault).first {
            return reading(.unknown, nil, "\(fault)")
        }
        guard let battery = batteries.first else {
            return mains.first.map { reading(.yes, $0, "no battery could feed the machine") }
                ?? reading(
                    .yes, nil,
                    "no power supply is known: a desktop, server or virtual machine")
        }
        if let fed = batteries.first(where: { $0.flow == .charging }) {
            return reading(.yes, fed, fed.description)
        }
        if let offline = mains.first { return reading(.no, offline, "\(offline.name) is offline") }
        if let rests = batteries.first(where: { $0.flow != .unknown }) {
            return reading(.yes, rests, rests.description)
        }
        return reading(.unknown, battery, battery.fault?.description ?? battery.description)
    }

    private func battery(_ supplies: [PowerSupply], _ fault: FileFault?) -> FactorReading {
        let batteries = supplies.filter { $0.kind != .mains }
        guard let first = batteries.first else {
            return fault.map { reading(.unknown, nil, "\($0)") }
                ?? reading(.yes, nil, "no battery is known")
        }
        let charge = charge(of: batteries)
        let said = batteries.map(\.description).joined(separator: "; ")
        guard charge != nil || batteries.contains(where: { $0.level != nil }) else {
            return reading(.unknown, first, first.fault?.description ?? said)
        }
        let isLow =
            charge.map { $0 < lowest }
            ?? batteries.allSatisfy { $0.level == "Critical" || $0.level == "Low" }
        guard isLow || batteries.allSatisfy({ $0.level == "Critical" }) else {
            return reading(.yes, first, said)
        }
        // Mains may give less than is used; then the battery discharges all the same.
        let isUsed =
            batteries.contains { $0.flow == .discharging }
            || batteries.allSatisfy { $0.flow == .unknown }
                && !supplies.contains { $0.isOnline == true }
        return reading(isUsed ? .no : .yes, first, said)
    }

    /// Percent of all batteries together, rounded down; nil where one does not say.
    private func charge(of batteries: [PowerSupply]) -> Int? {
        var sum = 0.0
        var whole = 0.0
        let areWeighed = batteries.allSatisfy { $0.energyWhenFull != nil }
        for battery in batteries {
            guard let capacity = battery.capacity else { return nil }
            let weight = areWeighed ? Double(battery.energyWhenFull ?? 1) : 1
            sum += Double(capacity) * weight
            whole += weight
        }
        return whole > 0 ? Int((sum / whole).rounded(.down)) : nil
    }

    private func reading(
        _ state: FactorState, _ supply: PowerSupply?, _ detail: String
    ) -> FactorReading {
        FactorReading(state, source: Shown.text(supply?.path ?? directory), detail: detail)
    }
}

extension FileFault {
    /// The whole directory went, and not only this file.
    fileprivate func isGone(from directory: String) -> Bool {
        guard isMissing else { return false }
        do {
            _ = try Directory(directory).names()
            return false
        } catch { return error.isMissing }
    }
}
