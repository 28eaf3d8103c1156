// SPDX-License-Identifier: Apache-2.0
import Curfew
import CurfewValues
import PluginBridge
import Runner
import Scheduling
import Service

/// Reads the configuration of a host of `curfew serve` again, and applies what of it can count at once.
final class ServiceReload: Sendable {
    private let files: ConfigurationFiles
    /// The configuration with which the host was started; nil if there was none.
    private let first: ServiceConfiguration?
    private let arguments: Arguments
    private let place: StorePlace
    private let host: Host
    private let bus: HostBus
    private let access: ControlAccess
    private let plugins: ServedPlugins
    private let lines: ServeLines
    /// The thresholds that count, of those that the file names.
    private let thresholds: Locked<[String: String]>

    init(
        _ files: ConfigurationFiles, after first: ServiceConfiguration?, _ arguments: Arguments,
        _ place: StorePlace, _ host: Host, _ bus: HostBus, _ access: ControlAccess,
        _ plugins: ServedPlugins, _ lines: ServeLines
    ) {
        (self.files, self.first, self.arguments, self.place) = (files, first, arguments, place)
        (self.host, self.bus, self.access) = (host, bus, access)
        (self.plugins, self.lines) = (plugins, lines)
        thresholds = Locked(first?.thresholds ?? [:])
    }

    /// What was applied, and which plugins are to be looked at.
    struct Applied: Sendable {
        fileprivate var changes: ReloadQueue.Changes
        fileprivate let search: PluginSearch
        fileprivate let settings: PluginSettings
    }

    enum Result: Sendable {
        case applied(Applied)
        /// Nothing was changed.
        case refused(ReloadQueue.Fault)
    }

    /// Applies the schedules and thresholds in one transaction, then the level of the log, the time that tasks have at the
    /// end, and the roles. Other settings count from the next start, but for those by which `loadPlugins` loads.
    func perform(_ limits: inout ShutdownLimits) -> Result {
        let check = ServeConfiguration.checkLine(files, arguments)
        let configuration: ServiceConfiguration
        do throws(ConfigurationFiles.Failure) {
            guard let read = try files.read() else {
                return refused(
                    "there is no configuration at \(files.path) any more; nothing was changed",
                    check)
            }
            configuration = read
        } catch {
            switch error {
            case .file(let error): return refused(error.message + "; nothing was changed", check)
            case .faults(let faults):
                return refused(
                    ServeConfiguration.first(of: faults) + "; nothing was changed", check,
                    faults.map(\.rendered).joined(separator: "\n\n"))
            }
        }
        let search: PluginSearch
        let requests: RequestConfiguration
        var settings = configuration.plugins
        do throws(CommandError) {
            search = try PluginSearch(
                arguments, configured: settings.directories, failingWith: .usage)
            requests = try Self.requests(configuration, arguments, bus)
            try settings.take(arguments)
        } catch {
            return refused(error.message + "; nothing was changed", check)
        }
        let schedules: ScheduleChanges
        do throws(CurfewError) {
            schedules = try host.reconcile(
                configuration.schedules, set: configuration.scheduleSet, thresholds: requests)
        } catch {
            return refused(
                "\(error.message); the configuration does not count until it is read again",
                "curfew reload" + place.option, isStore: true)
        }
        // Not before: a reload that is refused changes nothing.
        bus.setThresholds(requests.machineThresholds)
        host.sourcesChanged()
        lines.change(to: configuration.log)
        limits.expire = configuration.stopGrace
        lines.schedules(schedules, isReload: true)
        var changes = ReloadQueue.Changes(schedules)
        setThresholds(configuration.thresholds, &changes)
        access.change(to: configuration.control) {
            lines.unknown($0, $1)
            changes.notes.append(ControlAccess.text(unknown: $1, $0))
        }
        let waiting = configuration.settingsForStart(besides: first)
        if !waiting.isEmpty {
            changes.needsStart = true
            let names = waiting.map { "`\($0)`" }.joined(separator: ", ")
            note(
                "\(names) of the configuration \(waiting.count == 1 ? "is" : "are") not as when the host was started; what changed of \(waiting.count == 1 ? "it" : "them") counts once it is started again",
                &changes)
        }
        return .applied(Applied(changes: changes, search: search, settings: settings))
    }

    private func setThresholds(_ new: [String: String], _ changes: inout ReloadQueue.Changes) {
        let old = thresholds.withLock { thresholds in
            defer { thresholds = new }
            return thresholds
        }
        changes.thresholds = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        let given = HostThreshold.names(arguments)
        for name in changes.thresholds where given.contains(name) {
            note(
                "the threshold `\(name)` stays as `--threshold` of the command line says", &changes)
        }
    }

    private func note(_ text: String, _ changes: inout ReloadQueue.Changes) {
        lines.log(.warning, nil, 0, text)
        changes.notes.append(text)
    }

    /// Loads the plugins that are found and not loaded, which may take ten seconds for each eight of them. Any thread may
    /// call, one at a time.
    func loadPlugins(_ applied: Applied) -> ReloadQueue.Changes {
        var changes = applied.changes
        let loaded = plugins.load(applied.search, by: applied.settings)
        changes.plugins = loaded.ids
        for text in loaded.changed { note(text, &changes) }
        changes.notes += loaded.refused
        if !loaded.ids.isEmpty {
            lines.log(.info, nil, 0, "loaded besides: \(loaded.ids.joined(separator: ", "))")
        }
        return changes
    }

    /// The configuration of a host's requests: thresholds of the file, then those of the command line, which count more.
    static func requests(
        _ configuration: ServiceConfiguration?, _ arguments: Arguments, _ bus: HostBus
    ) throws(CommandError) -> RequestConfiguration {
        var requests = RequestConfiguration()
        HostThreshold.set(configuration?.thresholds ?? [:], in: &requests)
        try HostThreshold.set(arguments, in: &requests)
        bus.setSources(&requests)
        return requests
    }

    private func refused(
        _ text: String, _ mend: String, isStore: Bool = false, _ error: String? = nil
    ) -> Result {
        lines.faulty("\(text): \(mend)", error)
        return .refused(ReloadQueue.Fault(text: text, mend: mend, isStore: isStore))
    }
}

extension PluginSettings {
    /// Takes over what the command line says, which counts more.
    mutating func take(_ arguments: Arguments) throws(CommandError) {
        trust = try arguments.trust(usual: trust ?? .off)
        if arguments.has(.confine) { confines = true }
    }
}
