// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// A directory with a manifest in it, sound or not.
struct FoundPlugin {
    let directory: String
    let manifest: Result<Manifest, ManifestFaults>
    /// The directory of the plugin with the same id that hides this one; nil for the first one.
    let shadowedBy: String?

    /// Whether a host would load it, so far as its manifest tells.
    var isUsable: Bool { sound != nil && shadowedBy == nil }

    /// Nil when its manifest is faulty.
    var sound: Manifest? { try? manifest.get() }

    func handler(_ identifier: String) -> ManifestHandler? {
        sound?.handlers.first { $0.identifier == identifier }
    }
}
