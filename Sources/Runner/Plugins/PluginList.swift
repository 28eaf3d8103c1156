// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import PluginBridge

/// The plugins of a host, by number, and those being loaded.
final class PluginList: Sendable {
    /// The number of the embedder's own handlers.
    static let embedder: Int32 = -1

    private struct State {
        var records: [PluginRecord] = []
        /// Those whose code is entered, by number.
        var loading: [Int32: PluginLoad] = [:]
        /// The ids of those that a thread is about to load.
        var claimed: Set<String> = []
    }

    private let state = Locked(State())

    var all: [PluginRecord] { state.withLock { $0.records } }

    /// The plugins without those that were not loaded and whose directories have other plugins now, or none.
    var current: [PluginRecord] { state.withLock { $0.records.filter { !$0.isReplaced } } }

    /// Drops from `current` the plugins that were not loaded and are gone.
    func forget(where isGone: (PluginRecord) -> Bool) {
        for record in current where isGone(record) {
            state.withLock { _ in
                if record.status != .ready, record.status != .retired { record.isReplaced = true }
            }
        }
    }

    func status(of plugin: PluginRecord) -> (status: PluginRecord.Status, reason: String) {
        state.withLock { _ in (plugin.status, plugin.reason) }
    }

    func id(of number: Int32) -> String? { record(number)?.id }

    func subs(of number: Int32) -> PluginSubs? {
        state.withLock { record(number, $0)?.subs }
    }

    private func record(_ number: Int32) -> PluginRecord? {
        state.withLock { record(number, $0) }
    }

    private func record(_ number: Int32, _ state: State) -> PluginRecord? {
        number >= 0 && Int(number) < state.records.count ? state.records[Int(number)] : nil
    }

    /// Runs `body`, which changes locked variables of a record, with the lock held.
    func update<T>(_ body: () -> T) -> T { state.withLock { _ in body() } }

    func ready(_ id: String) -> PluginRecord? {
        state.withLock { $0.records.first { $0.status == .ready && $0.id == id } }
    }

    /// Adds a plugin, or updates the record of one that is not in use.
    @discardableResult
    func add(
        _ path: String, _ manifest: Manifest?, _ status: PluginRecord.Status, _ reason: String
    ) -> PluginRecord {
        state.withLock { state in
            let before = state.records.filter {
                $0.status != .ready && $0.status != .retired && $0.directory == path
            }
            // The directory has another plugin now than when these were found.
            for old in before { old.isReplaced = true }
            // A scanned plugin is loaded, and a failed one retried, under its first number.
            if let known = before.first(where: {
                $0.id == manifest?.id ?? "" && $0.version == manifest?.version ?? ""
            }) {
                known.isReplaced = false
                known.status = status
                known.reason = reason
                return known
            }
            let record = PluginRecord(
                number: Int32(state.records.count), directory: path, id: manifest?.id ?? "",
                version: manifest?.version ?? "",
                handlers: UInt32(manifest?.handlers.count ?? 0), status: status, reason: reason)
            state.records.append(record)
            return record
        }
    }

    // MARK: Loading

    /// Lets the calling thread alone load the plugins with an id. Returns false while another one does.
    func claim(_ id: String) -> Bool { state.withLock { $0.claimed.insert(id).inserted } }

    /// Ends that.
    func releaseClaim(_ id: String) { state.withLock { _ = $0.claimed.remove(id) } }

    /// Begins to load a plugin. Returns its table, which `make` creates if necessary.
    func beginLoading(
        _ record: PluginRecord, _ manifest: Manifest, path: String, make: () -> PluginTable
    ) -> PluginTable {
        state.withLock { state in
            state.loading[record.number] = PluginLoad(plugin: record.number, manifest: manifest)
            // A plugin that was refused after its entry has this table, and may have a thread.
            if let table = record.table {
                table.gate.open()
                return table
            }
            let table = make()
            record.table = table
            record.libraryPath = path
            return table
        }
    }

    /// The numbers of the plugins whose code is entered.
    var loading: [Int32] { state.withLock { $0.loading.keys.sorted() } }

    /// What a plugin has registered so far, while it is loaded.
    func loading(_ number: Int32) -> PluginLoad? { state.withLock { $0.loading[number] } }

    func endLoading(_ number: Int32) { state.withLock { $0.loading[number] = nil } }

    /// Registers a handler's code from a plugin's entry. Returns the error and the broken rule.
    ///
    /// - Parameter owner: names the owner of another plugin's handler.
    func register(
        _ identifier: String, _ code: HandlerCode, plugin: Int32, owner: (String) -> String?
    ) -> (rule: ContractRule?, error: BridgeError)? {
        state.withLock { state -> (ContractRule?, BridgeError)? in
            guard var load = state.loading[plugin] else {
                return (nil, BridgeError(.wrongState, "the plugin is not being loaded"))
            }
            guard
                let declared = load.manifest.handlers.first(where: { $0.identifier == identifier })
            else {
                load.addUndeclared(identifier)
                state.loading[plugin] = load
                let other = owner(identifier)
                return (
                    other == nil ? .undeclaredHandler : .takenHandler,
                    BridgeError(
                        .denied,
                        "\"\(identifier)\" is not in the plugin's manifest; "
                            + (other.map { "it belongs to \($0)" }
                                ?? "declare it under \"handlers\""))
                )
            }
            guard declared.form == .entry else {
                return (
                    .registeredTwice,
                    BridgeError(
                        .denied,
                        "the manifest says that \"\(identifier)\" has the form \(declared.form.rawValue), which needs no registering"
                    )
                )
            }
            guard load.registered[identifier] == nil else {
                return (
                    .registeredTwice,
                    BridgeError(.exists, "\"\(identifier)\" was registered before")
                )
            }
            load.registered[identifier] = code
            state.loading[plugin] = load
            return nil
        }
    }
}
