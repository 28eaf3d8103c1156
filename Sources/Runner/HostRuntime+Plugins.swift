// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Glibc
public import PluginBridge
import Scheduling

extension HostRuntime {
    // MARK: Scanning

    /// Reads the manifests below `path`, one directory each, without loading code. Returns how many
    /// plugins were added to the list, faulty ones included.
    public func scan(_ path: String) throws(BridgeError) -> Int {
        guard ThreadRole.current(in: self) == .other else { throw HostRuntime.wrongThread("scan") }
        guard isOpen else { throw HostRuntime.closing }
        guard let names = Self.names(in: path) else {
            throw BridgeError(
                .system,
                "the directory \(path) cannot be read: \(String(cString: strerror(errno))); no plugin was added"
            )
        }
        var found = 0
        for name in names {
            let directory = path.hasSuffix("/") ? path + name : path + "/" + name
            guard Self.isPlugin(directory) else { continue }
            found += 1
            switch Manifest.read(directory: directory) {
            case .success(let manifest): addRecord(directory, manifest, .validated, "")
            case .failure(let faults): addRecord(directory, nil, .failed, faults.rendered)
            }
        }
        return found
    }

    /// What a directory holds, in order and without what is hidden; nil, with `errno`, when it
    /// cannot be read.
    static func names(in directory: String) -> [String]? {
        guard let stream = opendir(directory) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0[..<($0.firstIndex(of: 0) ?? $0.count)], as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether there is a manifest in it, sound or not.
    static func isPlugin(_ directory: String) -> Bool {
        access(directory + "/" + Manifest.fileName, F_OK) == 0
    }

    @discardableResult
    func addRecord(
        _ path: String, _ manifest: Manifest?, _ status: PluginRecord.Status, _ reason: String
    ) -> PluginRecord {
        directory.withLock { directory in
            // What was scanned is loaded under its number, and what failed is tried again under it.
            if let known = directory.plugins.first(where: {
                $0.directory == path && $0.status != .ready && $0.status != .retired
                    && $0.id == manifest?.id ?? "" && $0.version == manifest?.version ?? ""
            }) {
                known.status = status
                known.reason = reason
                return known
            }
            let record = PluginRecord(
                number: Int32(directory.plugins.count), directory: path, id: manifest?.id ?? "",
                version: manifest?.version ?? "",
                handlers: UInt32(manifest?.handlers.count ?? 0), status: status, reason: reason)
            directory.plugins.append(record)
            return record
        }
    }

    static func wrongThread(_ what: String) -> BridgeError {
        BridgeError(
            .wrongThread,
            "\(what) was called from inside one of the host's callbacks, events or plugin code; call it from another thread"
        )
    }

    // MARK: Loading

    /// Loads the plugin in a directory. On failure nothing of it is registered, and the list says
    /// why.
    public func load(_ path: String) throws(BridgeError) {
        guard ThreadRole.current(in: self) == .other else { throw HostRuntime.wrongThread("load") }
        guard isOpen, loadGate.enter() else { throw HostRuntime.closing }
        defer { loadGate.leave() }
        let failure = loading.withLock { _ -> BridgeError? in
            switch Manifest.read(directory: path) {
            case .failure(let faults):
                addRecord(path, nil, .failed, faults.rendered)
                let wrongABI = faults.diagnostics.contains {
                    $0.rule == ManifestRule.abi.rawValue
                }
                return BridgeError(wrongABI ? .abiMismatch : .refused, faults.rendered)
            case .success(let manifest): return load(path, manifest)
            }
        }
        if let failure { throw failure }
    }

    private func load(_ path: String, _ manifest: Manifest) -> BridgeError? {
        let record = addRecord(path, manifest, .validated, "")
        do throws(BridgeError) {
            try check(path, manifest)
            let library = path + "/" + manifest.library
            try checkNote(library, manifest)
            try open(library, manifest, record)
        } catch let reason {
            directory.withLock { _ in
                record.status = .failed
                record.reason = reason.message
            }
            // What is shadowed is no fault of anybody's.
            log(
                reason.status == .exists ? .warning : .error, manifest.id, 0,
                "refused: \(reason.message)")
            for handler in manifest.handlers {
                notRegistered(handler, reason.message)
            }
            return reason
        }
        return nil
    }

    /// What is taken already, before any code of the plugin runs.
    private func check(_ path: String, _ manifest: Manifest) throws(BridgeError) {
        let other = plugins.first { $0.id == manifest.id && status(of: $0).status == .ready }
        if let other {
            throw BridgeError(
                .exists,
                "the plugin \"\(manifest.id)\" is loaded already, from \(other.directory)"
                    + (path == other.directory ? "" : "; \(path) is shadowed by it")
            )
        }
        try checkClaims(of: manifest)
    }

    private func checkNote(_ library: String, _ manifest: Manifest) throws(BridgeError) {
        switch ABINote.read(path: library) {
        case .failure(let fault):
            throw BridgeError(.refused, "\(library): \(fault.message); \(fault.help)")
        case .success(let note):
            guard note.abi == UInt32(CURFEW_ABI_VERSION) else {
                throw BridgeError(
                    .abiMismatch,
                    "\(library) was built for ABI \(note.abi), this host speaks ABI \(CURFEW_ABI_VERSION); rebuild the plugin with this host's headers"
                )
            }
        }
    }

    private func open(
        _ path: String, _ manifest: Manifest, _ record: PluginRecord
    ) throws(BridgeError) {
        guard let absolute = realpath(path, nil) else {
            throw BridgeError(
                .system, "\(path) cannot be found: \(String(cString: strerror(errno)))")
        }
        defer { free(absolute) }
        let table = directory.withLock { directory in
            directory.loading = PluginLoad(plugin: record.number, manifest: manifest)
            // One that was entered before and refused has this table, and may have a thread.
            if let table = record.table {
                table.gate.open()
                return table
            }
            let table = RetiredTables.take(path)
            serve(table, plugin: record.number)
            record.table = table
            record.libraryPath = path
            return table
        }
        var isUsed = false
        defer {
            if !isUsed { table.gate.close() }
            directory.withLock { $0.loading = nil }
        }
        let library = try ThreadRole.loading.during(in: self) {
            () throws(BridgeError) -> PluginLibrary in
            let library = try PluginLibrary(path: String(cString: absolute))
            try library.enter(table, id: manifest.id, version: manifest.version)
            return library
        }
        let registered = directory.withLock { directory in
            record.library = library
            return directory.loading?.registered ?? [:]
        }
        do throws(BridgeError) {
            // The entry may have taken its time.
            guard isOpen else { throw HostRuntime.closing }
            for handler in manifest.handlers where registered[handler.identifier] == nil {
                throw BridgeError(
                    .refused,
                    "the manifest declares \"\(handler.identifier)\", but \(path) did not register it; nothing of the plugin is registered"
                )
            }
            let added = try add(
                manifest.handlers.map {
                    (HandlerDescription($0), registered[$0.identifier]!)
                }, plugin: record.number)
            isUsed = true
            directory.withLock { _ in
                record.status = .ready
                record.reason = ""
            }
            for handler in added {
                _ = events.raise(handler.registering, [.bool(true), .text("")], task: 0)
            }
        } catch let refusal {
            // It was entered and is not used: the last call into it.
            ThreadRole.loading.during(in: self) { library.retire() }
            directory.withLock { _ in record.library = nil }
            throw refusal
        }
    }

    /// The table's `register_handler`, while the plugin is inside its entry.
    func registerWhileLoading(
        _ identifier: String, _ code: HandlerCode, plugin: Int32
    ) -> BridgeError? {
        let refusal = directory.withLock { directory -> (rule: Misbehaviour?, BridgeError)? in
            guard var load = directory.loading, load.plugin == plugin else {
                return (nil, BridgeError(.wrongState, "the plugin is not being loaded"))
            }
            guard load.manifest.handlers.contains(where: { $0.identifier == identifier }) else {
                if let other = directory.byIdentifier[identifier] {
                    return (
                        .takenHandler,
                        BridgeError(
                            .denied,
                            "\"\(identifier)\" is not in the plugin's manifest; it belongs to \(owner(other.plugin))"
                        )
                    )
                }
                return (
                    .undeclaredHandler,
                    BridgeError(
                        .denied,
                        "\"\(identifier)\" is not in the plugin's manifest; declare it under \"handlers\""
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
            directory.loading = load
            return nil
        }
        guard let (rule, error) = refusal else { return nil }
        if let rule {
            misbehaved(
                rule, "called register_handler", error.message + "; nothing was registered",
                task: 0, plugin: plugin)
        }
        return error
    }

    /// Raises `registering<event>_done` for a handler that could not be registered.
    private func notRegistered(_ handler: ManifestHandler, _ reason: String) {
        guard
            let signature = EventSignature(
                name: "registering\(handler.event)_done", parameters: [.bool, .text]),
            let entry = events.directory.declareProvisionally(signature)
        else { return }
        _ = events.raise(entry, [.bool(false), .text(reason)], task: 0)
    }
}

extension HandlerDescription {
    init(_ handler: ManifestHandler) {
        self.init(
            identifier: handler.identifier, kind: handler.kind, budget: handler.budget,
            grace: handler.grace, maxConcurrency: UInt32(handler.maxConcurrency),
            event: handler.event, events: handler.events)
    }
}
