// SPDX-License-Identifier: Apache-2.0
import PluginBridge
package import Scheduling

/// The settings of plugins in a configuration. Nil means the default.
package struct PluginSettings: Hashable, Sendable {
    /// The directories that are searched for plugins.
    package var directories: [String]?
    /// Where the code of plugins runs.
    package var isolation: Isolation?
    /// Whether plugins are confined to what their manifests need.
    package var confines: Bool?
    /// Whether plugins have to be signed.
    package var trust: TrustPolicy?
    /// Whether the process of a plugin is of a program that is executed anew.
    package var executes: Bool?
    /// The features of the sandbox without which the code of no plugin runs.
    package var required: [String]?
    /// Nanoseconds after which the process of a plugin is ended that has nothing to do.
    package var idleLimit: UInt64?
    /// The most that each process of a plugin may have.
    package var limits = Limits()
    /// What differs for single plugins, by id.
    package var overrides: [String: Override] = [:]

    package init() {}

    /// The most that a process may have, whatever a manifest needs.
    package struct Limits: Hashable, Sendable {
        /// Bytes of private memory.
        package var memory: UInt64?
        /// Bytes of a file that it writes.
        package var fileBytes: UInt64?
        /// Open files.
        package var descriptors: UInt64?
        /// Processes and threads together, besides Curfew's own threads.
        package var processes: UInt64?
    }

    /// What differs for one plugin.
    package struct Override: Hashable, Sendable {
        /// Whether it is loaded.
        package var isEnabled: Bool?
        /// Where its code runs, whatever its manifest asks for.
        package var isolation: Isolation?
        /// The most that each of its processes may have, in place of what `PluginSettings.limits` says.
        package var limits = Limits()
    }

    /// The ids of the plugins that are not loaded.
    package var disabled: Set<String> {
        Set(overrides.filter { $0.value.isEnabled == false }.keys)
    }

    /// Whether all that counts from the next start is as in other settings: directories are searched again while a host
    /// runs.
    func hasSettings(of other: PluginSettings) -> Bool {
        var (own, other) = (self, other)
        (own.directories, other.directories) = (nil, nil)
        return own == other
    }

    /// Where the code of single plugins runs.
    package var isolations: [String: Isolation] { overrides.compactMapValues(\.isolation) }
}
