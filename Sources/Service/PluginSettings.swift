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

    /// By what a plugin is loaded.
    package struct Effective: Hashable, Sendable {
        private let all: PluginSettings
        private let own: Override?

        fileprivate init(_ all: PluginSettings, _ own: Override?) {
            (self.all, self.own) = (all, own)
        }
    }

    /// By what the plugin with this id is loaded: it is not, where its override differs from none.
    package func effective(of id: String) -> Effective {
        var all = self
        (all.directories, all.overrides, all.executes, all.idleLimit) = (nil, [:], nil, nil)
        return Effective(all, overrides[id].flatMap { $0 == Override() ? nil : $0 })
    }

    /// Where the code of single plugins runs.
    package var isolations: [String: Isolation] { overrides.compactMapValues(\.isolation) }
}
