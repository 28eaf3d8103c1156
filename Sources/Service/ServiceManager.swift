// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The manager that has started this process, such as systemd, and wants to hear how it is: sd_notify(3).
///
/// libsystemd is loaded only where a manager asks, by the variable NOTIFY_SOCKET.
package struct ServiceManager: Sendable {
    /// How the service is.
    package enum State: Sendable {
        /// It works; what it does, for people, in one line.
        case ready(String)
        /// It reads its configuration again. `ready` follows.
        case reloading
        /// It ends.
        case stopping
        /// It has looked at itself, and lives.
        case alive
    }

    /// Why a manager that asks cannot be told: lower case, no full stop.
    package struct Failure: Error {
        package let reason: String
    }

    private typealias Notify = @convention(c) (Int32, UnsafePointer<CChar>) -> Int32
    private typealias WatchdogEnabled =
        @convention(c) (Int32, UnsafeMutablePointer<UInt64>) -> Int32

    private let notify: Notify
    /// The nanoseconds after which the manager ends a service that has not said that it lives; nil if it
    /// does not watch.
    package let watchdog: UInt64?

    /// That of this process; nil if none asks.
    package static func ofProcess() throws(Failure) -> ServiceManager? {
        guard let place = getenv("NOTIFY_SOCKET"), place.pointee != 0 else { return nil }
        guard let library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw Failure(reason: "libsystemd.so.0 cannot be loaded")
        }
        guard let notify = dlsym(library, "sd_notify"),
            let enabled = dlsym(library, "sd_watchdog_enabled")
        else { throw Failure(reason: "libsystemd.so.0 has no sd_notify") }
        return ServiceManager(
            notify: unsafeBitCast(notify, to: Notify.self),
            enabled: unsafeBitCast(enabled, to: WatchdogEnabled.self))
    }

    private init(notify: Notify, enabled: WatchdogEnabled) {
        self.notify = notify
        var microseconds: UInt64 = 0
        // It is about this process: the variable has its number.
        let isWatching = enabled(0, &microseconds) > 0 && microseconds > 0
        watchdog =
            isWatching ? microseconds.multipliedReportingOverflow(by: 1_000).partialValue : nil
    }

    /// Tells the manager. One that cannot be reached is not told.
    ///
    /// - Parameter now: CLOCK_MONOTONIC, in nanoseconds.
    package func tell(_ state: State, at now: UInt64) {
        let text =
            switch state {
            case .ready(let what): "READY=1\nSTATUS=\(Self.line(what))"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(now / 1_000)"
            case .stopping: "STOPPING=1\nSTATUS=nothing more is launched"
            case .alive: "WATCHDOG=1"
            }
        _ = text.withCString { notify(0, $0) }
    }

    /// A text without line ends, which would begin another field.
    private static func line(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}
