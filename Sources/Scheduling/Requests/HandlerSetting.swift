// SPDX-License-Identifier: Apache-2.0

/// The settings of launches that people made: for all handlers, for a plugin, or for one
/// identifier.
public struct HandlerSetting: Hashable, Sendable {
    /// The setting for background refresh.
    public enum Refresh: UInt8, Sendable, CaseIterable {
        /// It may refresh.
        case available = 1
        /// The user turned it off.
        case denied = 2
        /// An administrator turned it off, and the user cannot turn it on.
        case restricted = 3

        /// The word used in text and JSON.
        package var name: String {
            switch self {
            case .available: "available"
            case .denied: "denied"
            case .restricted: "restricted"
            }
        }
    }

    /// Whether the user wants the handler at all.
    public enum Enablement: UInt8, Sendable, CaseIterable {
        /// It is launched.
        case enabled = 1
        /// It is not launched for now.
        case suspended = 2
        /// It was removed, and is not launched.
        case removed = 3

        /// The word used in text and JSON.
        package var name: String {
            switch self {
            case .enabled: "enabled"
            case .suspended: "suspended"
            case .removed: "removed"
            }
        }
    }

    /// The setting for requests of the kind app-refresh.
    public var refresh: Refresh
    /// The setting for all requests.
    public var enablement: Enablement

    /// Creates a setting, by default without restrictions.
    public init(refresh: Refresh = .available, enablement: Enablement = .enabled) {
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
