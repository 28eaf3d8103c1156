// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// Decides whether a plugin may be loaded, by its signature and by the host's pins.
struct PluginTrust {
    private let policy: TrustPolicy
    private let keyDirectories: [String]?
    private let pins: [String: Set<String>]?

    init(_ configuration: HostConfiguration) {
        policy = configuration.trust
        keyDirectories = configuration.keyDirectories
        pins = configuration.pins
    }

    /// Returns the pins that the library of a plugin is checked against, where nil permits any content, and the id of the
    /// trusted key that has signed it, if that was looked at.
    ///
    /// - Parameter warn: gets the reason for which `require` would refuse the plugin.
    func pins(
        of manifest: Manifest, in folder: PluginDirectory, warn: (BridgeError) -> Void
    ) throws(BridgeError) -> (pins: [String: Set<String>]?, signer: String?) {
        // A pin says more than a signature: it names one content.
        let isPinned = manifest.library != nil && !(pins?[manifest.id] ?? []).isEmpty
        guard policy != .off, !isPinned else { return (pins, nil) }
        do throws(BridgeError) {
            let keys = TrustedKeys(in: keyDirectories ?? TrustPlaces.directories)
            return (nil, try PluginSigner(of: manifest, in: folder, keys: keys).key.id.description)
        } catch {
            if policy == .require { throw error }
            // A plugin that is not in the list of pins is refused anyway.
            if pins == nil { warn(error) }
            return (pins, nil)
        }
    }
}
