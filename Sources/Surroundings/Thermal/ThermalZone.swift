// SPDX-License-Identifier: Apache-2.0

/// A sensor with its trip points in /sys/class/thermal. See
/// Documentation/driver-api/thermal/sysfs-api.rst of Linux.
struct ThermalZone {
    let path: String
    let type: String
    /// Thousandths of a degree Celsius.
    let temperature: Int
    let trips: [TripPoint]

    /// The plausible values of a sensor; others are switched off or broken.
    static let plausible: ClosedRange<Int> = -60_000...200_000
    /// The maximum number of trip points that are read.
    private static let most = 16

    /// Nil for a sensor without points to compare with: it cannot say what is hot.
    init?(path: String) throws(FileFault) {
        self.path = path
        type = Shown.text((try? TextFile(path + "/type").word()) ?? "a sensor", longest: 32)
        trips = Self.trips(path)
        guard !trips.isEmpty else { return nil }
        temperature = try TextFile(path + "/temp").number(in: Self.plausible)
    }

    private static func trips(_ path: String) -> [TripPoint] {
        var trips: [TripPoint] = []
        for index in 0..<most {
            let point = "\(path)/trip_point_\(index)"
            do {
                guard let kind = TripPoint.Kind(rawValue: try TextFile(point + "_type").word())
                else { continue }
                let temperature = try TextFile(point + "_temp").number(in: TripPoint.plausible)
                trips.append(TripPoint(kind: kind, temperature: temperature))
            } catch {
                if error.isMissing { break }
            }
        }
        return trips
    }

    /// "x86_pkg_temp 83 °C, 4 °C below the passive trip point"
    var description: String {
        let shown = "\(type) \(Self.degrees(temperature))"
        guard
            let nearest = trips.min(by: {
                ($0.temperature - temperature).magnitude < ($1.temperature - temperature).magnitude
            })
        else { return shown }
        let distance = nearest.temperature - temperature
        let place =
            distance == 0
            ? "at" : "\(Self.degrees(abs(distance))) \(distance > 0 ? "below" : "above")"
        return "\(shown), \(place) the \(nearest.kind.rawValue) trip point"
    }

    private static func degrees(_ thousandths: Int) -> String {
        "\(Int((Double(thousandths) / 1_000).rounded())) °C"
    }
}
