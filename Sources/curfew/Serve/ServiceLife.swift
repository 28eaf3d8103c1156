// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Service

/// Runs a host until a signal ends it, and reports its state to the service manager.
struct ServiceLife {
    private let host: Host
    private let manager: ServiceManager?
    private let control: ControlSocket?

    /// - Parameter control: the socket that clients are answered at, if there is one.
    init(_ host: Host, _ control: ControlSocket?, _ lines: ServeLines) {
        self.host = host
        self.control = control
        do throws(ServiceManager.Failure) {
            manager = try ServiceManager.ofProcess()
        } catch {
            manager = nil
            lines.log(
                .warning, nil, 0,
                "what has started this host waits to hear of it, and cannot: \(error.reason)")
        }
    }

    /// Runs until a signal wants the end.
    ///
    /// - Parameters:
    ///   - event: a descriptor that is readable when the configuration is to be read again.
    ///   - reload: called for that, and for each signal that wants it.
    ///   - stopLimit: returns the nanoseconds in which the host will have ended.
    func run(
        _ signals: StopSignals, event: Int32, reload: () -> Void, stopLimit: () -> UInt64
    ) {
        tell(.ready(Self.status(host)))
        // Twice as often as it has to be.
        let interval = manager?.watchdog.map { max(1, $0 / 2) }
        var due = interval.map { csys_monotonic_ns() &+ $0 } ?? .max
        while true {
            switch signals.next(until: due, event: event) {
            case .end: return tell(.stopping(within: stopLimit()))
            case .hangup, .event:
                tell(.reloading)
                reload()
                tell(.ready(Self.status(host)))
            case .time:
                // Where one is stuck this does not return, and the manager hears nothing. Of the threads that
                // watch deadlines another takes over from one that is stuck.
                host.awaitRequestThread()
                control?.awaitThread()
                tell(.alive)
                due = interval.map { csys_monotonic_ns() &+ $0 } ?? .max
            }
        }
    }

    /// Tells that there are more plugins. Any thread may call.
    var tellOfPlugins: @Sendable () -> Void {
        { [host, manager] in
            manager?.tell(.status(Self.status(host)), at: csys_monotonic_ns())
        }
    }

    private static func status(_ host: Host) -> String {
        let count = host.plugins.count { $0.status == .ready }
        return "serves, with \(count) plugin\(count == 1 ? "" : "s")"
    }

    private func tell(_ state: ServiceManager.State) {
        manager?.tell(state, at: csys_monotonic_ns())
    }
}
