// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Whether processors, memory or disks are overloaded: /proc/pressure.
///
/// As in systemd's conditions: for memory and disks the time in which all tasks waited ("full"), if
/// the kernel reports it; for processors, on which never all wait, the time in which some did
/// ("some"). The waiting of the host's own tasks is included.
package struct PressureSource: FactorSource {
    private let directory: String
    private let thresholds: MachineThresholds

    /// - Parameter proc: where procfs is.
    package init(
        proc: String = "/proc", thresholds: MachineThresholds = MachineThresholds()
    ) {
        directory = proc + "/pressure"
        self.thresholds = thresholds
    }

    package var factors: Set<Factor> { [.pressure] }

    package func read() -> [Factor: FactorReading] { [.pressure: reading()] }

    private struct Resource {
        let file: String
        let name: String
        let kinds: [String]
        let limit: PressureLimit
    }

    private var resources: [Resource] {
        [
            Resource(
                file: "memory", name: "memory", kinds: ["full", "some"],
                limit: thresholds.memoryPressure),
            Resource(
                file: "io", name: "disks", kinds: ["full", "some"], limit: thresholds.diskPressure),
            Resource(
                file: "cpu", name: "processors", kinds: ["some"],
                limit: thresholds.processorPressure),
        ]
    }

    private func reading() -> FactorReading {
        var known: [String] = []
        var fault: FileFault?
        for resource in resources {
            let path = "\(directory)/\(resource.file)"
            do {
                let averages = try averages(of: resource, path)
                if let excess = excess(averages, resource) {
                    return FactorReading(.no, source: Shown.text(path), detail: excess)
                }
                known.append("\(resource.name) \(Shown.tenths(averages.minute)) %")
            } catch { fault = fault ?? error }
        }
        if let fault, known.isEmpty {
            return FactorReading(
                .unknown, source: Shown.text(directory),
                detail: fault.isMissing ? "the kernel does not measure pressure" : "\(fault)")
        }
        return FactorReading(
            .yes, source: Shown.text(directory),
            detail: "waited for in the last minute: \(known.joined(separator: ", "))"
                + (fault.map { "; \($0)" } ?? ""))
    }

    private func averages(of resource: Resource, _ path: String) throws(FileFault)
        -> PressureAverages
    {
        let text = try TextFile(path).text()
        for kind in resource.kinds {
            if let averages = PressureAverages(kind, in: text) { return averages }
        }
        throw FileFault(path, "has no averages")
    }

    /// In words; nil where both averages are within their limits.
    private func excess(_ averages: PressureAverages, _ resource: Resource) -> String? {
        if averages.tenSeconds > resource.limit.tenSeconds {
            return
                "\(resource.name) were waited for in \(Shown.tenths(averages.tenSeconds)) % of the"
                + " last 10 s, more than \(Shown.tenths(resource.limit.tenSeconds)) %"
        }
        if averages.minute > resource.limit.minute {
            return "\(resource.name) were waited for in \(Shown.tenths(averages.minute)) % of the"
                + " last minute, more than \(Shown.tenths(resource.limit.minute)) %"
        }
        return nil
    }
}
