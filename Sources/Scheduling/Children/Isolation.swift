// SPDX-License-Identifier: Apache-2.0

/// Where the code of a plugin runs.
package enum Isolation: Int32, Sendable, CaseIterable, KebabCased {
    /// On threads of the host: nothing keeps a plugin from ending the host.
    case thread = 1
    /// In a process of the plugin's.
    case process = 2
}
