// SPDX-License-Identifier: Apache-2.0

/// The plugin in one host: owns its handlers until the host retires the plugin.
final class PluginInHost: Sendable {
    let handlers: [RegisteredHandler]

    init(_ handlers: [RegisteredHandler]) {
        self.handlers = handlers
    }
}
