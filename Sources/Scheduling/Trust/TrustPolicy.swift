// SPDX-License-Identifier: Apache-2.0

/// What a host does with a plugin that neither a trusted key has signed nor a pin names.
public enum TrustPolicy: Int32, Sendable, CaseIterable {
    /// Loads it; signatures are not looked at.
    case off = 1
    /// Loads it, and writes a warning with the reason into the log.
    case warn = 2
    /// Refuses it before any of its code runs.
    case require = 3
}

extension TrustPolicy: KebabCased {}
