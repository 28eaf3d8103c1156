// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// The code of a loaded plugin, wherever it runs. `PluginLibrary` runs it in this process.
package protocol PluginCode: AnyObject, Sendable {
    /// Lets the plugin register its handlers with a table, once.
    func enter(
        _ table: PluginTable, through interposer: (any EntryInterposer)?
    ) throws(BridgeError)

    /// Returns the code of the handlers that need no entry, by identifier. It is valid as long as
    /// this object.
    ///
    /// - Parameter allowed: the libraries of the system whose functions may be called.
    func codes(
        _ table: PluginTable, allowed: [String]?
    ) throws(BridgeError) -> [String: HandlerCode]

    /// Returns the sub that receives an event, if there is one and only events call it.
    func sub(_ signature: EventSignature) -> SubFunction?

    /// Whether the plugin's entry gave a function to call when the plugin is retired.
    var wantsRetirement: Bool { get }

    /// The process in which it runs, if that is one of its own.
    var process: PluginProcess? { get }

    /// Tells the plugin that this host does not need it any more: the last call into it.
    func retire()
}
