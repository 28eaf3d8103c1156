// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// The facts about a task before its launch.
struct LifeFacts {
    let handler: ManifestHandler
    let plugin: Manifest
    let directory: String
    /// Nanoseconds.
    let budget: UInt64
    let grace: UInt64
}
