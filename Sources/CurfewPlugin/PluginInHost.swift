// SPDX-License-Identifier: Apache-2.0

/// A plugin in one host, which owns its handlers until the host retires the plugin.
final class PluginInHost: Sendable {
    let handlers: [RegisteredHandler]

    init(_ handlers: [RegisteredHandler]) {
        self.handlers = handlers
    }
}
