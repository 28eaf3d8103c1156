// SPDX-License-Identifier: Apache-2.0

/// The way in which a handler's code is called.
package enum ManifestForm: String, Sendable, CaseIterable {
    /// Through `curfew_plugin_entry` and the host's table.
    case entry
    /// Through exported functions with the names of the subs.
    case subs
    /// Any exported function, with the signature the manifest gives.
    case call
}
