// SPDX-License-Identifier: Apache-2.0

/// Where the plugin's code runs. A manifest may ask for more isolation than the host gives by
/// default, never for less; this host has none beyond a thread and refuses `process`.
public enum ManifestIsolation: String, Sendable, CaseIterable {
    /// On a worker thread of the host's process.
    case thread
    /// In a process of its own.
    case process
}
