// SPDX-License-Identifier: Apache-2.0

/// The place where the plugin's code runs. A manifest may ask for more isolation than the host
/// gives by default, never for less; this host supports only a thread and refuses `process`.
package enum ManifestIsolation: String, Sendable, CaseIterable {
    /// On a worker thread of the host's process.
    case thread
    /// In a child process.
    case process
}
