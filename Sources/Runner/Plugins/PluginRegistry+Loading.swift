// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Glibc
package import PluginBridge
import Scheduling

extension PluginRegistry {
    // MARK: Scanning

    /// Reads the manifests in the directories below `path`, without loading code.
    /// Returns how many plugins were added to the list, including faulty ones.
    package func scan(_ path: String) throws(BridgeError) -> Int {
        guard threads.role == .other else { throw Self.wrongThread("scan") }
        guard engine.phase.isOpen else { throw HostPhase.closing }
        guard let names = names(in: path) else { throw unreadable(path) }
        var found = 0
        for name in names {
            let directory = path.appending(component: name)
            guard Self.isPlugin(directory) else { continue }
            found += 1
            switch Manifest.read(directory: directory) {
            case .success(let manifest):
                plugins.add(directory, manifest, .validated, "")
                requests.discovered(manifest)
            case .failure(let faults): plugins.add(directory, nil, .failed, faults.rendered)
            }
        }
        return found
    }

    /// Returns the error for a directory that was named and cannot be read, of which `errno` has the
    /// reason.
    func unreadable(_ path: String) -> BridgeError {
        BridgeError(
            .system,
            "the directory \(path) cannot be read: \(String(cString: strerror(errno))); no plugin was added"
        )
    }

    /// Returns the sorted names of visible entries, or nil with `errno` set.
    /// A name that is not UTF-8 is skipped and logged: repaired, it could name another plugin.
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
                    "\(directory.appending(component: String(decoding: bytes, as: UTF8.self))) is skipped: its name is not UTF-8; rename it"
                )
                continue
            }
            names.append(name)
        }
        return names.sorted()
    }

    /// Whether the directory contains a manifest, valid or not.
    static func isPlugin(_ directory: String) -> Bool {
        access(directory + "/" + Manifest.fileName, F_OK) == 0
    }

    static func wrongThread(_ what: String) -> BridgeError {
        BridgeError(
            .wrongThread,
            "\(what) was called from inside one of the host's callbacks, events or plugin code; call it from another thread"
        )
    }

    // MARK: Loading

    /// Loads the plugin in a directory. On failure nothing of it is registered.
    package func load(_ path: String) throws(BridgeError) {
        guard threads.role == .other else { throw Self.wrongThread("load") }
        guard engine.phase.isOpen, loadGate.enter() else { throw HostPhase.closing }
        defer { loadGate.leave() }
        let (folder, manifest) = try readManifest(path)
        guard
            engine.phase.wait(
                until: .max, { plugins.claim(manifest.id) || !engine.phase.isOpen })
        else { throw HostPhase.closing }
        defer {
            plugins.releaseClaim(manifest.id)
            engine.phase.progressed()
        }
        guard engine.phase.isOpen else { throw HostPhase.closing }
        // Changes of this process by two libraries could not be distinguished.
        let isHere = manifest.hasCode && configuration.isolation(of: manifest) == .thread
        if isHere { try acquireLoadLock(path) }
        defer { if isHere { LoadLock.release(of: threads.host) } }
        try load(folder, manifest)
    }

    /// The number of threads that load plugins at a time.
    private static let loaders = 8

    /// Loads plugins; those that run in processes at the same time, so that one whose code does not return
    /// delays no other. Of two that claim the same names, the first one gets them. Returns the errors by
    /// position.
    package func load(_ paths: [String]) -> [Int: BridgeError] {
        let errors = Locked<[Int: BridgeError]>([:])
        let (together, others) = divide(paths)
        @Sendable func load(_ index: Int) {
            do throws(BridgeError) {
                try self.load(paths[index])
            } catch {
                errors.withLock { $0[index] = error }
            }
        }
        let next = Locked(0)
        let ended = Locked(0)
        @Sendable func loadTogether() {
            while true {
                let index = next.withLock { next -> Int? in
                    defer { next += 1 }
                    return next < together.count ? together[next] : nil
                }
                guard let index else { return }
                load(index)
            }
        }
        let helpers = (1..<max(1, min(Self.loaders, together.count))).count { _ in
            threads.start { [self] in
                csys_thread_name("curfew-load")
                loadTogether()
                ended.withLock { $0 += 1 }
                engine.phase.progressed()
            }
        }
        loadTogether()
        _ = engine.phase.wait(until: .max) { ended.withLock { $0 } == helpers }
        for index in others { load(index) }
        return errors.withLock { $0 }
    }

    /// The positions of plugins that can be loaded at the same time, and of those that come after them, one
    /// by one: those that run in this process, and those whose names an earlier one has.
    private func divide(_ paths: [String]) -> (together: [Int], others: [Int]) {
        var names: Set<String> = []
        var (together, others): ([Int], [Int]) = ([], [])
        for (index, path) in paths.enumerated() {
            guard let manifest = try? Manifest.read(directory: path).get() else {
                others.append(index)
                continue
            }
            let own = [manifest.id] + manifest.handlers.flatMap { [$0.identifier, $0.event] }
            let isAlone =
                manifest.hasCode && configuration.isolation(of: manifest) == .thread
                || !names.isDisjoint(with: own)
            names.formUnion(own)
            if isAlone { others.append(index) } else { together.append(index) }
        }
        return (together, others)
    }

    private func acquireLoadLock(_ path: String) throws(BridgeError) {
        // A load that waits for long is logged.
        var warnAt = csys_monotonic_ns() &+ 2_000_000_000
        let acquisition = LoadLock.acquire(for: threads.host) {
            if csys_monotonic_ns() > warnAt {
                warnAt = .max
                log(
                    .warning, nil, 0,
                    "\(path) waits to be loaded: another plugin is inside its entry or a constructor, in this host or another of the process"
                )
            }
            return !engine.phase.isOpen
        }
        switch acquisition {
        case .acquired: break
        case .recursive: throw Self.wrongThread("load")
        case .givenUp: throw HostPhase.closing
        }
    }

    private func readManifest(_ path: String) throws(BridgeError) -> (PluginDirectory, Manifest) {
        // The log gets one line, because the faults of a manifest can fill a screen.
        var logLine: String?
        do throws(BridgeError) {
            let folder = try PluginDirectory(path)
            switch try folder.manifest() {
            case .success(let manifest): return (folder, manifest)
            case .failure(let faults):
                logLine = faults.line
                let isForeign = faults.diagnostics.contains {
                    $0.rule == ManifestRule.abi.rawValue
                }
                throw BridgeError(
                    isForeign ? .abiMismatch : .refused, faults.rendered,
                    rule: faults.diagnostics.first?.rule)
            }
        } catch let reason {
            plugins.add(path, nil, .failed, reason.message)
            log(.error, nil, 0, logLine ?? reason.line)
            throw reason
        }
    }

    private func load(_ folder: PluginDirectory, _ manifest: Manifest) throws(BridgeError) {
        let record = plugins.add(folder.given, manifest, .validated, "")
        do throws(BridgeError) {
            try check(folder.given, manifest)
            guard !configuration.disabledPlugins.contains(manifest.id) else {
                throw BridgeError(
                    .refused,
                    "it is disabled by the configuration of the host, in `overrides` of `plugins`; nothing of it was run"
                )
            }
            let (pins, signer) = try PluginTrust(configuration).pins(of: manifest, in: folder) {
                log(.warning, manifest.id, 0, $0.line)
            }
            plugins.update { record.signer = signer }
            let library = try CheckedLibrary(manifest, in: folder, pins: pins)
            try manifest.checkSystemLibraries(allowed: configuration.callableLibraries)
            let isolation = configuration.isolation(of: manifest)
            try check(isolation, manifest)
            try checkConfinement(isolation, manifest)
            try checkFeatures(isolation, manifest)
            let content = try checkQuarantine(manifest, library, record)
            // Each library, and each manifest without one, has tables of its own.
            try open(
                manifest, record, shown: folder.shown(manifest.library ?? Manifest.fileName),
                path: library?.path ?? record.directory, isHere: isolation == .thread
            ) { () throws(BridgeError) in
                warnOfLess(isolation, manifest)
                guard manifest.hasCode, isolation != .thread else {
                    return try PluginLibrary(manifest, library)
                }
                let port = ChildPort(
                    engine, PluginServices(engine, requests, plugins), plugin: record.number,
                    manifest, isFresh: isolation == .fresh)
                let (directory, searched) = (
                    record.absoluteDirectory, library?.searchedDirectories ?? []
                )
                let (needs, most) = (
                    configuration.needs(of: manifest), configuration.limits(of: manifest)
                )
                return ChildCode(
                    port, manifest, library, content: content,
                    allowed: configuration.callableLibraries, processes, quarantine
                ) { () throws(BridgeError) in
                    try Confinement(
                        manifest, needs, most, directory: directory, libraries: searched,
                        environment: ProgramStart.hostEnvironment())
                }
            }
        } catch let reason {
            plugins.update {
                record.status = .failed
                record.reason = reason.message
                record.isQuarantined = reason.status == .quarantined
            }
            // A shadowed plugin is not at fault.
            let isDisabled = configuration.disabledPlugins.contains(manifest.id)
            log(
                isDisabled ? .info : reason.status == .exists ? .warning : .error, manifest.id, 0,
                reason.line)
            for handler in manifest.handlers {
                notRegistered(handler, reason.message)
            }
            let entry = plugins.update { record.content }.flatMap { quarantine[$0] }
            requests.refused(
                manifest, entry.map { .quarantinedPlugin($0.reason) } ?? .refused(reason.firstLine))
            throw reason
        }
    }

    /// Makes what confines the programs of a manifest; nil where nothing does.
    private func confine(_ manifest: Manifest, _ record: PluginRecord) -> Confinement.Maker? {
        let (needs, most) = (configuration.needs(of: manifest), configuration.limits(of: manifest))
        guard needs != nil || most != HostConfiguration.ProcessLimits() else { return nil }
        let directory = record.absoluteDirectory
        return { () throws(BridgeError) in
            try Confinement(
                manifest, needs, most, directory: directory, libraries: [],
                environment: ProgramStart.hostEnvironment())
        }
    }

    /// Warns of a plugin that gets less than its manifest asks for.
    private func warnOfLess(_ isolation: Isolation, _ manifest: Manifest) {
        let hasProcesses = isolation != .thread || manifest.hasPrograms
        for shortfall in configuration.limits(of: manifest).shortfalls(manifest.needs)
        where hasProcesses {
            log(.warning, manifest.id, 0, "its manifest needs \(shortfall)")
        }
        guard manifest.hasCode else { return }
        if isolation == .thread, manifest.needs != nil {
            log(
                .warning, manifest.id, 0,
                "its manifest has `needs`, which confine nothing in a thread; to confine it give it a process"
            )
        }
        guard
            let handler = manifest.handlers.first(where: {
                $0.isolation.rawValue > isolation.rawValue
            })
        else { return }
        let asked =
            handler.isolation == .fresh ? "a process for each task" : "a process of its own"
        let consequence =
            isolation == .thread
            ? "a thread: if it crashes, the host ends"
            : "one process for all: what a task leaves behind is there for the next one"
        log(
            .warning, manifest.id, 0,
            "its manifest asks for \(asked) for \(handler.identifier), and the configuration of the host gives it \(consequence)"
        )
    }

    /// Throws if the host confines all plugins, and cannot confine this one.
    private func checkConfinement(
        _ isolation: Isolation, _ manifest: Manifest
    ) throws(BridgeError) {
        guard configuration.confinesPlugins else { return }
        guard !manifest.hasCode || isolation != .thread else {
            throw BridgeError(
                .refused,
                "\(manifest.id) is to run in a thread, where nothing confines it, and this host confines every plugin; give it isolation process"
            )
        }
        var missing: [String] = []
        for isProgram in [false, true]
        where isProgram ? manifest.hasPrograms : manifest.hasCode {
            let features = try ChildFeatures.probe(
                helper: configuration.helper, configuration.needs(of: manifest),
                isProgram: isProgram)
            missing += features.missing.filter(\.isNeeds).map(\.text)
            if features.leavesHostOpen {
                missing.append(
                    "nothing keeps \(isProgram ? "its programs" : "it") from the other processes of this user"
                )
            }
        }
        guard missing.isEmpty else {
            throw BridgeError(
                .refused,
                "this host confines every plugin, and this machine cannot confine \(manifest.id): \(missing.joined(separator: ", ")); nothing of it was run; `curfew inspect` shows what the machine has"
            )
        }
    }

    /// Throws if a feature of the sandbox that the host requires does not hold for the code of a plugin.
    private func checkFeatures(_ isolation: Isolation, _ manifest: Manifest) throws(BridgeError) {
        guard !configuration.requiredFeatures.isEmpty, manifest.hasCode else { return }
        guard isolation != .thread else {
            throw BridgeError(
                .refused,
                "\(manifest.id) is to run in a thread, and this host requires what only a process has; give it isolation process"
            )
        }
        let lacking = try ChildFeatures.probe(
            helper: configuration.helper, configuration.needs(of: manifest),
            entersLeaf: configuration.entersLeafGroup
        ).lacking(configuration.requiredFeatures)
        guard lacking.isEmpty else {
            throw BridgeError(
                .refused,
                "this host requires what does not hold for \(manifest.id): \(lacking.joined(separator: "; ")); nothing of it was run; `curfew inspect` shows what the machine has"
            )
        }
    }

    /// Throws if the code of a plugin cannot run where it is to.
    private func check(_ isolation: Isolation, _ manifest: Manifest) throws(BridgeError) {
        guard isolation == .fresh,
            let handler = manifest.handlers.first(where: { $0.form == .subs })
        else { return }
        throw BridgeError(
            .invalid,
            "the handler \"\(handler.identifier)\" is made of subs, which share what they know from one event to the next, so that a process for each task (isolation fresh) cannot run them; give the plugin \"\(manifest.id)\" isolation process"
        )
    }

    /// Throws if the plugin's id or names are taken, before its code runs.
    private func check(_ path: String, _ manifest: Manifest) throws(BridgeError) {
        if let other = plugins.ready(manifest.id) {
            throw BridgeError(
                .taken, .exists,
                "the plugin \"\(manifest.id)\" is loaded already, from \(other.directory)"
                    + (path == other.directory ? "" : "; \(path) is shadowed by it")
            )
        }
        try engine.claims.check(manifest)
    }

    /// Enters a plugin's code, which `load` makes on this thread, and registers its handlers.
    ///
    /// - Parameter isHere: the code runs in this process, so that it can change it.
    func open(
        _ manifest: Manifest, _ record: PluginRecord, shown: String, path: String,
        isHere: Bool, load code: () throws(BridgeError) -> any PluginCode
    ) throws(BridgeError) {
        let table = plugins.beginLoading(record, manifest, path: path) {
            let table = RetiredTables.take(path)
            serve(table, plugin: record.number)
            return table
        }
        var isUsed = false
        defer {
            if !isUsed { table.gate.close() }
            plugins.endLoading(record.number)
        }
        let entered = enter(code, table, record, isHere: isHere)
        let load = plugins.loading(record.number)
        var library: (any PluginCode)?
        do throws(BridgeError) {
            // Checked first, because an entry may have failed over this refusal.
            if let load { try load.checkUndeclared(shown) }
            library = try entered.get()
            plugins.update { record.code = library }
            // The host may have begun to shut down during the entry.
            guard engine.phase.isOpen else { throw HostPhase.closing }
            if let load { try load.checkMissing(shown) }
            let codes = try library!.codes(table, allowed: configuration.callableLibraries)
            var registered = (load?.registered ?? [:]).merging(codes) { $1 }
            for handler in manifest.handlers {
                guard let command = handler.command else { continue }
                registered[handler.identifier] = commands.code(
                    command, directory: record.absoluteDirectory,
                    confine: confine(manifest, record), concurrency: handler.maxConcurrency,
                    plugin: record.number, table)
            }
            var handlers = manifest.handlers.map {
                (HandlerDescription($0), registered[$0.identifier]!)
            }
            let hasSubs = manifest.handlers.contains { $0.form == .subs }
            let subs = hasSubs ? PluginSubs(library!, manifest, engine) : nil
            if let subs {
                handlers.append((subs.description(number: record.number), subs.code(table)))
            }
            var added: [HandlerRecord]
            do throws(BridgeError) {
                added = try engine.add(
                    handlers, plugin: record.number, named: record.id,
                    build: plugins.update { record.content } ?? "", owner: subs)
            } catch {
                throw Self.asLoading(error)
            }
            isUsed = true
            plugins.update {
                record.status = .ready
                record.reason = ""
                record.subs = subs
            }
            (library as? ChildCode)?.port.begin(
                added.prefix(manifest.handlers.count).map(\.queue))
            if let subs { subs.begin(added.removeLast().index) }
            for handler in added {
                engine.stateChanged(handler)
                _ = engine.events.raise(handler.registering, [.bool(true), .text("")], task: 0)
            }
        } catch let refusal {
            // The plugin was entered but is not used, so this is the last call into it.
            if let library = library ?? (try? entered.get()) {
                threads.during(.loading) { library.retire() }
                engine.children.endIfChild(task: 0, plugin: record.number)
            }
            plugins.update { record.code = nil }
            throw refusal
        }
    }

    /// Loads the code and calls its entry. Restores and reports changes to the process.
    private func enter(
        _ load: () throws(BridgeError) -> any PluginCode, _ table: PluginTable,
        _ record: PluginRecord, isHere: Bool
    ) -> Result<any PluginCode, BridgeError> {
        guard isHere else { return entered(load, table, record) }
        let watch = ProcessStateWatch()
        let result = entered(load, table, record)
        for change in watch.restore() {
            engine.violations.report(
                .processState, "changed \(change.text) while it was loaded",
                change.isPutBack
                    ? "that was restored"
                    : "that cannot be restored, and this process has to be started again",
                task: 0, plugin: record.number)
        }
        return result
    }

    private func entered(
        _ load: () throws(BridgeError) -> any PluginCode, _ table: PluginTable,
        _ record: PluginRecord
    ) -> Result<any PluginCode, BridgeError> {
        threads.during(.loading) {
            () -> Result<any PluginCode, BridgeError> in
            do throws(BridgeError) {
                defer { engine.children.endIfChild(task: 0, plugin: record.number) }
                let code = try load()
                try code.enter(table, through: configuration.interposer)
                return .success(code)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Converts the error for a taken name to the one that loading reports.
    private static func asLoading(_ error: BridgeError) -> BridgeError {
        error.status == .exists ? BridgeError(.taken, .exists, error.message) : error
    }

    /// Raises `registering<event>_done` for a handler that could not be registered.
    private func notRegistered(_ handler: ManifestHandler, _ reason: String) {
        guard
            let signature = EventSignature(
                name: "registering\(handler.event)_done", parameters: [.bool, .text]),
            let entry = engine.directory.declareProvisionally(signature)
        else { return }
        _ = engine.events.raise(entry, [.bool(false), .text(reason)], task: 0)
    }
}

extension HandlerDescription {
    init(_ handler: ManifestHandler) {
        self.init(
            identifier: handler.identifier, kind: handler.kind, budget: handler.budget,
            grace: handler.grace, maxConcurrency: UInt32(handler.maxConcurrency),
            event: handler.event, events: handler.events)
        needs = handler.needs
        maxInStore = handler.maxInStore
        onLeaseLost = handler.onLeaseLost
    }
}
