// SPDX-License-Identifier: Apache-2.0
import PluginBridge
package import Scheduling

/// The configuration of a service: its store, its plugins and its schedules.
package struct ServiceConfiguration: Hashable, Sendable {
    /// The files that were read, in order.
    package var files: [String] = []
    /// The directory of the store; nil for the usual one.
    package var store: String?
    /// The directories that are searched for plugins; nil for the usual ones.
    package var pluginDirectories: [String]?
    /// Where the code of plugins runs; nil for the default.
    package var isolation: Isolation?
    /// Whether plugins are confined to what their manifests need; nil for the default.
    package var confinesPlugins: Bool?
    /// Whether plugins have to be signed; nil for the default.
    package var trust: TrustPolicy?
    /// What tells the factors of the machine; nil for the default, the kernel.
    package var factorSource: FactorOrigin?
    /// Whether apps are started that do not run and have a due request; nil for the default.
    package var startsApps: Bool?
    /// Thresholds of the host's requests by their names, as `--threshold` takes them.
    package var thresholds: [String: String] = [:]
    /// The schedules, each name once, ordered by name.
    package var schedules: [Schedule] = []

    package init() {}

    /// Whether all but the schedules is as in another one.
    package func hasSettings(of other: ServiceConfiguration?) -> Bool {
        var (own, other) = (self, other ?? ServiceConfiguration())
        (own.schedules, own.files) = ([], [])
        (other.schedules, other.files) = ([], [])
        return own == other
    }

    static let keys = ["schedules", "store", "plugins", "factors", "apps", "thresholds"]
    static let factorKeys = ["source"]
    static let pluginKeys = ["directories", "isolation", "confine", "trust"]
}
