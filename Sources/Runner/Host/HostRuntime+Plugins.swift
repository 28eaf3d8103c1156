// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
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
        guard let names = names(in: path) else {
            throw BridgeError(
                .system,
                "the directory \(path) cannot be read: \(String(cString: strerror(errno))); no plugin was added"
            )
        }
        var found = 0
        for name in names {
            let directory = path.appending(component: name)
            guard Self.isPlugin(directory) else { continue }
            found += 1
            switch Manifest.read(directory: directory) {
            case .success(let manifest): addRecord(directory, manifest, .validated, "")
            case .failure(let faults): addRecord(directory, nil, .failed, faults.rendered)
            }
        }
        return found
    }

    /// Returns the names of a directory's entries, in order and without hidden ones; nil, with `errno`,
    /// when it cannot be read. A name that is not UTF-8 is left out and logged: repaired, it would be
    /// the name of another plugin.
    func names(in directory: String) -> [String]? {
        guard let stream = opendir(directory) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: entry.pointee.d_name) {
                $0.prefix { $0 != 0 }.map(\.self)
            }
            guard bytes.first != UInt8(ascii: ".") else { continue }
            guard let name = String(validating: bytes, as: UTF8.self) else {
                log(
                    .warning, nil, 0,
                    "\(directory.appending(component: String(decoding: bytes, as: UTF8.self))) is not looked at: its name is not UTF-8; rename it"
                )
                continue
            }
            names.append(name)
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
                $0.status != .ready && $0.status != .retired && $0.directory == path
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
        let turn = try takeTurn(path)
        defer { turn.leave() }
        let (folder, manifest) = try readManifest(path)
        try load(folder, manifest)
    }

    private func takeTurn(_ path: String) throws(BridgeError) -> LoadTurn {
        // Somebody whose load hangs wants to know what for.
        var tellAt = csys_monotonic_ns() &+ 2_000_000_000
        let answer = LoadTurn.take(for: self) {
            if csys_monotonic_ns() > tellAt {
                tellAt = .max
                log(
                    .warning, nil, 0,
                    "\(path) waits to be loaded: another plugin is inside its entry or a constructor, in this host or another of the process"
                )
            }
            return !isOpen
        }
        switch answer {
        case .mine(let turn): return turn
        case .held: throw HostRuntime.wrongThread("load")
        case .givenUp: throw HostRuntime.closing
        }
    }

    private func readManifest(_ path: String) throws(BridgeError) -> (PluginDirectory, Manifest) {
        // The faults of a manifest fill a screen; a log gets one line.
        var told: String?
        do throws(BridgeError) {
            let folder = try PluginDirectory(path)
            switch try folder.manifest() {
            case .success(let manifest): return (folder, manifest)
            case .failure(let faults):
                told = faults.line
                let isForeign = faults.diagnostics.contains {
                    $0.rule == ManifestRule.abi.rawValue
                }
                throw BridgeError(
                    isForeign ? .abiMismatch : .refused, faults.rendered,
                    rule: faults.diagnostics.first?.rule)
            }
        } catch let reason {
            addRecord(path, nil, .failed, reason.message)
            log(.error, nil, 0, told ?? reason.line)
            throw reason
        }
    }

    private func load(_ folder: PluginDirectory, _ manifest: Manifest) throws(BridgeError) {
        let record = addRecord(folder.given, manifest, .validated, "")
        do throws(BridgeError) {
            try check(folder.given, manifest)
            let library = try CheckedLibrary(manifest, in: folder, pins: configuration.pins)
            try manifest.checkSystemLibraries(allowed: configuration.callableLibraries)
            try open(library, folder.shown(manifest.library ?? Manifest.fileName), manifest, record)
        } catch let reason {
            directory.withLock { _ in
                record.status = .failed
                record.reason = reason.message
            }
            // What is shadowed is no fault of anybody's.
            log(reason.status == .exists ? .warning : .error, manifest.id, 0, reason.line)
            for handler in manifest.handlers {
                notRegistered(handler, reason.message)
            }
            throw reason
        }
    }

    /// What is taken already, before any code of the plugin runs.
    private func check(_ path: String, _ manifest: Manifest) throws(BridgeError) {
        let other = directory.withLock {
            $0.plugins.first { $0.status == .ready && $0.id == manifest.id }
        }
        if let other {
            throw BridgeError(
                .taken, .exists,
                "the plugin \"\(manifest.id)\" is loaded already, from \(other.directory)"
                    + (path == other.directory ? "" : "; \(path) is shadowed by it")
            )
        }
        try checkClaims(of: manifest)
    }

    private func open(
        _ checked: CheckedLibrary?, _ shown: String, _ manifest: Manifest, _ record: PluginRecord
    ) throws(BridgeError) {
        // One library, or manifest without one, one sort of table.
        let path = checked?.path ?? record.directory
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
        let entered = enter(checked, table, manifest, record)
        let load = directory.withLock { $0.loading }
        var library: PluginLibrary?
        do throws(BridgeError) {
            // First: an entry that was told so may have given up for that very reason.
            if let load { try load.checkUndeclared(shown) }
            library = try entered.get()
            directory.withLock { _ in record.library = library }
            // The entry may have taken its time.
            guard isOpen else { throw HostRuntime.closing }
            if let load { try load.checkMissing(shown) }
            let codes = try library!.codes(table, allowed: configuration.callableLibraries)
            let registered = (load?.registered ?? [:]).merging(codes) { $1 }
            var handlers = manifest.handlers.map {
                (HandlerDescription($0), registered[$0.identifier]!)
            }
            let hasSubs = manifest.handlers.contains { $0.form == .subs }
            let subs = hasSubs ? PluginSubs(library!, manifest, self) : nil
            if let subs {
                handlers.append((subs.description(number: record.number), subs.code(table)))
            }
            var added: [HandlerRecord]
            do throws(BridgeError) {
                added = try add(handlers, plugin: record.number, owner: subs)
            } catch {
                throw HostRuntime.asLoading(error)
            }
            isUsed = true
            directory.withLock { _ in
                record.status = .ready
                record.reason = ""
                record.subs = subs
            }
            if let subs { subs.begin(added.removeLast().index) }
            for handler in added {
                standingChanged(handler)
                _ = events.raise(handler.registering, [.bool(true), .text("")], task: 0)
            }
        } catch let refusal {
            // It was entered and is not used: the last call into it.
            if let library = library ?? (try? entered.get()) {
                ThreadRole.loading.during(in: self) { library.retire() }
                endIfChild(task: 0, plugin: record.number)
            }
            directory.withLock { _ in record.library = nil }
            throw refusal
        }
    }

    /// Loads the library and calls its entry. What that changes in the process is put back and told.
    private func enter(
        _ checked: CheckedLibrary?, _ table: PluginTable, _ manifest: Manifest,
        _ record: PluginRecord
    ) -> Result<PluginLibrary, BridgeError> {
        let watch = ProcessStateWatch()
        let result = ThreadRole.loading.during(in: self) {
            () -> Result<PluginLibrary, BridgeError> in
            do throws(BridgeError) {
                defer { endIfChild(task: 0, plugin: record.number) }
                let library = try PluginLibrary(manifest, checked)
                try library.enter(table, through: configuration.interposer)
                return .success(library)
            } catch {
                return .failure(error)
            }
        }
        for change in watch.restore() {
            misbehaved(
                .processState, "changed \(change.text) while it was loaded",
                change.isPutBack
                    ? "that was put back"
                    : "that cannot be put back, and this process has to be started again",
                task: 0, plugin: record.number)
        }
        return result
    }

    /// What a name that is taken is called while a plugin is loaded.
    private static func asLoading(_ error: BridgeError) -> BridgeError {
        error.status == .exists ? BridgeError(.taken, .exists, error.message) : error
    }

    /// The table's `register_handler`, while the plugin is inside its entry.
    func registerWhileLoading(
        _ identifier: String, _ code: HandlerCode, plugin: Int32
    ) -> BridgeError? {
        let refusal = directory.withLock { directory -> (rule: Misbehaviour?, BridgeError)? in
            guard var load = directory.loading, load.plugin == plugin else {
                return (nil, BridgeError(.wrongState, "the plugin is not being loaded"))
            }
            guard
                let declared = load.manifest.handlers.first(where: { $0.identifier == identifier })
            else {
                load.addUndeclared(identifier)
                directory.loading = load
                if let other = handlerIndex.find(identifier) {
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
        needs = handler.needs
    }
}
