// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling
import Service

/// What tells a host of `curfew serve` the factors of the machine: the kernel, the system's bus, or nothing.
struct HostBus {
    private let origin: FactorOrigin
    /// Nil unless the bus tells.
    private let factors: BusFactors?

    init(_ origin: FactorOrigin) {
        self.origin = origin
        factors = origin == .bus ? BusFactors() : nil
    }

    /// Adds to the sources of requests what it tells.
    func setSources(_ requests: inout RequestConfiguration) {
        if origin != .none { requests.readMachine(requests.machineThresholds) }
        if let factors { requests.sources.append(factors) }
    }

    /// Judges what the bus tells by these thresholds from now on.
    func setThresholds(_ thresholds: MachineThresholds) { factors?.setThresholds(thresholds) }

    /// Listens to the bus until `stop`; nil unless it tells. A host without it works with what the kernel tells.
    func watch(_ host: Host, _ lines: ServeLines) -> BusWatch? {
        guard let factors else { return nil }
        let log: @Sendable (LogLevel, String) -> Void = { lines.log($0, nil, 0, $1) }
        do throws(ServiceManager.Failure) {
            let watch = try BusWatch(
                factors,
                BusWatch.Listener(
                    changed: { host.sourcesChanged() },
                    leaves: { leaves in
                        // A host that ends launches nothing anyway.
                        try? host.setLeaving(leaves)
                        log(
                            .info,
                            leaves
                                ? "the machine goes to sleep or is shut down: nothing is launched"
                                : "the machine is there, and requests are launched")
                    },
                    isQuiet: { (try? host.requestTasks().isEmpty) ?? true },
                    zone: { host.zoneChanged() }, log: { log(.info, $0) }))
            guard watch.start() else {
                log(.warning, "the system's bus is not listened to: no thread can be started")
                return nil
            }
            return watch
        } catch {
            log(.warning, "the system's bus is not listened to: \(error.reason)")
            return nil
        }
    }
}
