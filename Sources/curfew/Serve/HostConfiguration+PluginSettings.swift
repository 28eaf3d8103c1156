// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Runner
import Service

extension HostConfiguration {
    /// Nanoseconds after which the service ends the process of a plugin that has nothing to do.
    private static let usualIdleLimit: UInt64 = 600_000_000_000

    /// Takes over what the configuration of the service says about plugins.
    ///
    /// - Parameter isolation: where all of them run, whatever is said elsewhere; nil: as the settings say.
    mutating func apply(_ settings: PluginSettings, isolation all: Isolation?) {
        // What its users have not written cannot take a service down.
        isolation = .process
        forcedIsolation = all ?? settings.isolation
        pluginIsolation = all == nil ? settings.isolations : [:]
        disabledPlugins = settings.disabled
        confinesPlugins = settings.confines ?? false
        executesProcesses = settings.executes ?? false
        requiredFeatures = settings.required ?? []
        trust = settings.trust ?? .off
        processIdleLimit = settings.idleLimit ?? Self.usualIdleLimit
        processLimits = ProcessLimits(settings.limits)
        pluginLimits = settings.overrides.mapValues { ProcessLimits($0.limits) }
    }
}

extension HostConfiguration.ProcessLimits {
    fileprivate init(_ limits: PluginSettings.Limits) {
        self.init()
        (memory, fileBytes) = (limits.memory, limits.fileBytes)
        (descriptors, processes) = (limits.descriptors, limits.processes)
    }
}
