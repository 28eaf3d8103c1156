// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Reports whether the machine saves power, by its firmware's profile:
/// /sys/firmware/acpi/platform_profile.
///
/// The file exists on some laptops only, and a desktop's power saver need not set it. Without it
/// the state is unknown.
package struct PowerProfileSource: FactorSource {
    private let path: String

    /// - Parameter sys: where sysfs is.
    package init(sys: String = "/sys") { path = sys + "/firmware/acpi/platform_profile" }

    package var factors: Set<Factor> { [.lowPowerMode] }

    /// The profiles of Linux that do not put saving power first.
    private static let others: Set<String> = [
        "cool", "quiet", "balanced", "balanced-performance", "performance", "max-power", "custom",
    ]

    package func read() -> [Factor: FactorReading] {
        [.lowPowerMode: reading()]
    }

    private func reading() -> FactorReading {
        let source = Shown.text(path)
        do {
            let profile = try TextFile(path).word()
            let detail = "the platform's profile is \(Shown.text(profile, longest: 32))"
            if profile == "low-power" { return FactorReading(.no, source: source, detail: detail) }
            return FactorReading(
                Self.others.contains(profile) ? .yes : .unknown, source: source, detail: detail)
        } catch {
            return FactorReading(
                .unknown, source: source,
                detail: error.isMissing ? "the platform has no profiles" : error.description)
        }
    }
}
