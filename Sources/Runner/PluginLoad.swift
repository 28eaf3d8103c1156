// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// A plugin that is being loaded: what it may register, and what it has.
struct PluginLoad {
    let plugin: Int32
    let manifest: Manifest
    var registered: [String: HandlerCode] = [:]
}
