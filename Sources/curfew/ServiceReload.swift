// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Runner
import Scheduling
import Service

/// Reads the configuration of a host of `curfew serve` again, and applies what of it can count at once.
struct ServiceReload {
    let files: ConfigurationFiles
    /// The configuration with which the host was started; nil if there was none.
    let first: ServiceConfiguration?
    let arguments: Arguments
    let place: StorePlace
    let host: Host
    let bus: HostBus
    let access: ControlAccess
    let lines: ServeLines

    /// Applies the schedules and thresholds in one transaction, then the level of the log, the time that tasks have at the
    /// end, and the roles; and loads what plugins are found and not used yet. Other settings count from the next start.
    ///
    /// - Parameter isAlive: called now and then, while plugins are loaded.
    func perform(_ limits: inout ShutdownLimits, isAlive: () -> Void) -> ReloadQueue.Outcome {
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
        do throws(CommandError) {
            search = try PluginSearch(
                arguments, configured: configuration.plugins.directories, failingWith: .usage)
            requests = try Self.requests(configuration, arguments, bus)
        } catch {
            return refused(error.message + "; nothing was changed", check)
        }
        let changes: ScheduleChanges
        do throws(CurfewError) {
            changes = try host.reconcile(
                configuration.schedules, set: configuration.scheduleSet, thresholds: requests)
        } catch {
            return refused(
                "\(error.message); the configuration does not count until it is read again",
                "curfew reload" + place.option, isStore: true)
        }
        lines.change(to: configuration.log)
        limits.expire = configuration.stopGrace
        lines.schedules(changes, isReload: true)
        var notes: [String] = []
        access.change(to: configuration.control) {
            lines.unknown($0, $1)
            notes.append(ControlAccess.text(unknown: $1, $0))
        }
        let plugins = ServedPlugins(search, host, lines)
        let loaded = plugins.loadNew(isAlive: isAlive)
        if !loaded.loaded.isEmpty {
            lines.log(.info, nil, 0, "loaded besides: \(loaded.loaded.joined(separator: ", "))")
        }
        notes += loaded.notes
        let old = plugins.changed
        for note in old { lines.log(.warning, nil, 0, note) }
        notes += old
        let needsStart = !configuration.hasSettings(of: first)
        if needsStart {
            lines.log(
                .warning, nil, 0,
                "the configuration has another store, or other settings of plugins, factors, apps, the control socket, the web page, traces, or the form of its log, than when the host was started; they count once it is started again"
            )
        }
        return .applied(
            ReloadQueue.Changes(
                schedules: changes, plugins: loaded.loaded, needsStart: needsStart, notes: notes))
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
    ) -> ReloadQueue.Outcome {
        lines.faulty("\(text): \(mend)", error)
        return .refused(ReloadQueue.Fault(text: text, mend: mend, isStore: isStore))
    }
}
