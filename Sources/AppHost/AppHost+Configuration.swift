// SPDX-License-Identifier: Apache-2.0

extension AppHost {
    /// The configuration of this app's host. The defaults suit most apps.
    public struct Configuration: @unchecked Sendable {
        // Sendable: the pointers may be used from any thread.

        /// The path of the app's `Info.plist`, in XML or binary form. Nil means the path in the
        /// environment variable `CURFEW_INFO_PLIST`, or the file beside the executable.
        public var infoPlist: String?

        /// The directory of the store; its parent must exist. Nil means `requests` in the directory
        /// of the bundle identifier in `$XDG_STATE_HOME` (`~/.local/state`).
        public var store: String?

        /// Whether requests are stored; otherwise they live in memory and are lost with the
        /// process.
        public var keepsRequests = true

        /// A host that the app has created itself, a `curfew_host *`, which must live as long as
        /// the process. `store`, `keepsRequests`, `clock`, `readsMachine` and `log` have no effect
        /// then.
        public var host: OpaquePointer?

        /// A manual clock, a `curfew_clock *`, for tests; nil for the machine's clock.
        public var clock: OpaquePointer?

        /// Whether the host reads the machine's factors from the kernel: power, battery, heat,
        /// network, …. Otherwise only overrides count.
        public var readsMachine = true

        /// The longest pause, in seconds, between launches of requests without a date of one
        /// identifier; 0 for none. Nil means 15 minutes, and no pause on a manual clock.
        public var longestPause: Double?

        /// The arguments with which `curfew serve` starts the app when a request is due and it does not
        /// run, as iOS does; nil: it is not started. The process then ends by itself five seconds after
        /// its last task, unless it has come to the foreground.
        public var startArguments: [String]? = []

        /// The effect of a misuse for which Apple's system raises an exception.
        public var misuse = MisusePolicy.stop

        /// Receives each log line, from any thread, also concurrently; it must not call these
        /// modules. With nil, lines from `.info` on go to stderr, in the format of Apple's console.
        public var log: (@Sendable (AppLogLevel, String) -> Void)?

        /// Creates the default configuration.
        public init() {}
    }
}
