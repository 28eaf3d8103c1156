// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The service manager that started this process, such as systemd. The service reports its state to it, as
/// in sd_notify(3).
///
/// Any thread may call.
package struct ServiceManager: Sendable {
    /// The state of a service.
    package enum State: Sendable {
        /// The service is ready, with a status text for people, in one line.
        case ready(String)
        /// A new status text for people, in one line; the state stays.
        case status(String)
        /// The service reads its configuration again; `ready` follows.
        case reloading
        /// The service ends, within so many nanoseconds: the manager waits as long, where it would kill it earlier.
        case stopping(within: UInt64)
        /// The service has checked that it works. Resets the watchdog.
        case alive
    }

    /// The reason why the state cannot be reported: lower case, no full stop.
    package struct Failure: Error {
        package let reason: String
    }

    private typealias Notify = @convention(c) (Int32, UnsafePointer<CChar>) -> Int32
    private typealias WatchdogEnabled =
        @convention(c) (Int32, UnsafeMutablePointer<UInt64>) -> Int32

    private let notify: Notify
    /// The watchdog's interval in nanoseconds, after which the manager kills a service that did not report
    /// `alive`; nil without a watchdog.
    package let watchdog: UInt64?

    /// Returns the service manager of this process; nil if NOTIFY_SOCKET is not set.
    package static func ofProcess() throws(Failure) -> ServiceManager? {
        guard let place = getenv("NOTIFY_SOCKET"), place.pointee != 0 else { return nil }
        return ServiceManager(
            notify: try SystemdLibrary.function("sd_notify", as: Notify.self),
            enabled: try SystemdLibrary.function("sd_watchdog_enabled", as: WatchdogEnabled.self))
    }

    private init(notify: Notify, enabled: WatchdogEnabled) {
        self.notify = notify
        var microseconds: UInt64 = 0
        // It is about this process: the variable has its number.
        let isWatching = enabled(0, &microseconds) > 0 && microseconds > 0
        watchdog =
            isWatching ? microseconds.multipliedReportingOverflow(by: 1_000).partialValue : nil
    }

    /// Reports a state. Errors of the socket are ignored, as sd_notify(3) recommends.
    ///
    /// - Parameter now: CLOCK_MONOTONIC, in nanoseconds.
    package func tell(_ state: State, at now: UInt64) {
        let text =
            switch state {
            case .ready(let what): "READY=1\nSTATUS=\(Self.line(what))"
            case .status(let what): "STATUS=\(Self.line(what))"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(now / 1_000)"
            case .stopping(let limit):
                "STOPPING=1\nSTATUS=nothing more is launched\nEXTEND_TIMEOUT_USEC=\(limit / 1_000)"
            case .alive: "WATCHDOG=1"
            }
        _ = text.withCString { notify(0, $0) }
    }

    /// A text without line ends, which would begin another field.
    private static func line(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}
