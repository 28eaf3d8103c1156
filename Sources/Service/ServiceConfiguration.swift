// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// The configuration of a service: its store, its plugins and its schedules.
package struct ServiceConfiguration: Hashable, Sendable {
    /// The files that were read, in order.
    package var files: [String] = []
    /// The directory of the store, or the URL of one on a server; nil for the usual one.
    package var store: String?
    package var plugins = PluginSettings()
    package var control = ControlSettings()
    package var web = WebSettings()
    /// Where launches are sent as traces; nil: nowhere.
    package var traces: TraceSettings?
    /// Nanoseconds that running tasks have to end once the host ends; nil: as long as they have.
    package var stopGrace: UInt64?
    /// What tells the factors of the machine; nil for the default, the kernel.
    package var factorSource: FactorOrigin?
    /// Whether apps are started that do not run and have a due request; nil for the default.
    package var startsApps: Bool?
    /// The most apps that are being started at a time; nil for the default.
    package var appsAtATime: Int?
    package var log = LogSettings()
    /// Thresholds of the host's requests by their names, as `--threshold` takes them.
    package var thresholds: [String: String] = [:]
    /// The name of the set that the schedules are; "" if they are all that the store has.
    package var scheduleSet = ""
    /// The schedules, each name once, ordered by name.
    package var schedules: [Schedule] = []

    package init() {}

    /// The keys of what counts from the next start and is not as in the configuration of the last one. By what single
    /// plugins are loaded is not among it.
    package func settingsForStart(besides other: ServiceConfiguration?) -> [String] {
        let other = other ?? ServiceConfiguration()
        let parts: [(key: String, isEqual: Bool)] = [
            ("store", store == other.store),
            (
                "plugins",
                plugins.executes == other.plugins.executes
                    && plugins.idleLimit == other.plugins.idleLimit
            ),
            ("factors", factorSource == other.factorSource),
            ("apps", startsApps == other.startsApps && appsAtATime == other.appsAtATime),
            ("control", control.needingStart == other.control.needingStart),
            ("web", web == other.web), ("traces", traces == other.traces),
            ("log", log.format == other.log.format),
        ]
        return parts.filter { !$0.isEqual }.map(\.key)
    }

    static let keys = [
        "schedules", "scheduleSet", "store", "plugins", "factors", "apps", "thresholds", "control",
        "web", "traces", "log", "stop",
    ]
    static let factorKeys = ["source"]
    static let appKeys = ["enabled", "atATime"]
}
