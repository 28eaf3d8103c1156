// SPDX-License-Identifier: Apache-2.0

extension AppHost {
    /// The configuration of this app's host. The defaults suit most apps.
    public struct Configuration: @unchecked Sendable {
        // Sendable: the pointers may be used from any thread.

        /// The app's `Info.plist`, in XML or binary. Nil: the one that the environment variable
        /// `CURFEW_INFO_PLIST` names, or the one beside the executable.
        public var infoPlist: String?

        /// The directory where requests live; what is above it has to be there. Nil: `requests` in
        /// the directory of the bundle identifier in `$XDG_STATE_HOME` (`~/.local/state`).
        public var store: String?

        /// False: requests live in memory, and are gone with the process.
        public var keepsRequests = true

        /// A host that the app has made itself, a `curfew_host *`, which has to outlive everything
        /// here; then `store`, `keepsRequests`, `clock`, `readsMachine` and `log` are its own matter.
        public var host: OpaquePointer?

        /// A manual clock, a `curfew_clock *`, for tests. Nil: the machine's.
        public var clock: OpaquePointer?

        /// The kernel says how the machine is: power, battery, heat, network, …. False: only what is
        /// set counts.
        public var readsMachine = true

        /// The longest pause, in seconds, before a request without a date whose identifier had others
        /// without one launched lately; 0: none. Nil: 15 minutes, and none on a manual clock.
        public var longestPause: Double?

        /// The effect of a misuse for which Apple's system raises an exception.
        public var misuse = MisusePolicy.stop

        /// Receives each log line, from any thread, also concurrently; it must not use these
        /// modules. With nil, lines from `.info` on go to stderr, in the format of Apple's console.
        public var log: (@Sendable (AppLogLevel, String) -> Void)?

        /// Makes the default.
        public init() {}
    }
}
