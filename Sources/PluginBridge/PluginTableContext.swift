// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Behind a `PluginTable`: whose it is, and what it may be used for now.
final class PluginTableContext: Sendable {
    let services: any TaskServices
    let plugin: Int32
    let registering = Atomic<Bool>(false)
    /// Closed when the host goes.
    let gate = CallGate()

    init(services: any TaskServices, plugin: Int32) {
        self.services = services
        self.plugin = plugin
    }
}
