// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// What is known of a task before it is launched.
struct LifeFacts {
    let handler: ManifestHandler
    let plugin: Manifest
    let directory: String
    /// Nanoseconds.
    let budget: UInt64
    let grace: UInt64
}
