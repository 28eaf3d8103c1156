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
    ///   - reload: called for that, and for each signal that wants it; it calls its argument now and then if it takes long.
    ///   - stopLimit: returns the nanoseconds in which the host will have ended.
    func run(
        _ signals: StopSignals, event: Int32, reload: (_ isAlive: () -> Void) -> Void,
        stopLimit: () -> UInt64
    ) {
        tell(.ready(status))
        // Twice as often as it has to be.
        let interval = manager?.watchdog.map { max(1, $0 / 2) }
        var due = interval.map { csys_monotonic_ns() &+ $0 } ?? .max
        while true {
            switch signals.next(until: due, event: event) {
            case .end: return tell(.stopping(within: stopLimit()))
            case .hangup, .event:
                tell(.reloading)
                reload { if interval != nil { tell(.alive) } }
                tell(.ready(status))
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

    private var status: String {
        let count = host.plugins.count { $0.status == .ready }
        return "serves, with \(count) plugin\(count == 1 ? "" : "s")"
    }

    private func tell(_ state: ServiceManager.State) {
        manager?.tell(state, at: csys_monotonic_ns())
    }
}
