// SPDX-License-Identifier: Apache-2.0

/// The charge and the state of the machine's batteries.
struct BatteryReading: Equatable, Sendable {
    private(set) var state = UIDevice.BatteryState.unknown
    /// From 0 to 1; -1 where it is not known.
    private(set) var level: Float = -1

    /// Nothing is known.
    init() {}

    /// Reads the detail of the host's factor `battery`: `BAT0 discharging, 45 %`, several batteries with
    /// `; ` between them.
    init(detail: String, isPluggedIn: Bool) {
        let batteries = detail.split(separator: "; ")
        let percents = batteries.compactMap {
            $0.firstMatch(of: #/(\d{1,3}) %/#).flatMap { Float($0.1) }
        }
        guard !percents.isEmpty else { return }
        level = min(percents.reduce(0, +) / Float(percents.count) / 100, 1)
        if batteries.contains(where: { $0.contains(" discharging") }) {
            state = .unplugged
        } else if batteries.contains(where: { $0.contains(" charging") }) {
            state = .charging
        } else if isPluggedIn {
            state = level == 1 ? .full : .charging
        } else {
            state = .unplugged
        }
    }
}
