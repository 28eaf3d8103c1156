// SPDX-License-Identifier: Apache-2.0

/// The settings of launches that people made: for all handlers, for a plugin, or for one
/// identifier.
package struct HandlerSetting: Hashable, Sendable {
    /// The setting for requests of the kind app-refresh.
    package var refresh: RefreshSetting
    /// The setting for all requests.
    package var enablement: HandlerEnablement

    /// Creates a setting, by default without restrictions.
    package init(refresh: RefreshSetting = .available, enablement: HandlerEnablement = .enabled) {
        self.refresh = refresh
        self.enablement = enablement
    }

    /// Returns the stricter of two settings.
    package func and(_ other: HandlerSetting) -> HandlerSetting {
        HandlerSetting(
            refresh: refresh.rawValue > other.refresh.rawValue ? refresh : other.refresh,
            enablement: enablement.rawValue > other.enablement.rawValue
                ? enablement : other.enablement)
    }
}
