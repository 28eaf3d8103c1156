// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge
import Runner
import Scheduling
import Service

/// `curfew serve`
enum ServeCommand {
    static let command = Command(
        name: "serve", summary: "run a host in the foreground: launch the requests of a store",
        options: [
            ServeConfiguration.option, ServeConfiguration.checkOption, .plugin, .plugins,
            .isolation, .confine, .trust, HostThreshold.option, .store, .json,
        ],
        details: [
            """
            Reads its configuration, ~/.config/curfew/curfew.json and the files of conf.d
            beside it, if they are there. The schedules in it are launched at their dates: see
            below, and `curfew schedules`. What the command line says counts more. With --store
            and without --config no configuration is read.
            """,
            """
            Loads all plugins that it finds, and launches the requests of the store when
            their dates have come and their conditions hold, those of `curfew submit -- …`
            included. A plugin that cannot be loaded is reported, and the others are used.
            """,
            """
            The code of each plugin runs in a process of its own. Where that crashes, exits
            or never returns, its running tasks end, and the next ones run in another
            process; the host and the other plugins go on. A plugin with three ends in a row
            without a success is quarantined: see `curfew help quarantine`.
            """,
            """
            With --confine each plugin can use only the files, ports and programs that the
            `needs` of its manifest name, and one without `needs` only those that every
            process can. A plugin that this machine cannot confine is not loaded.
            """,
            """
            With --trust require, a plugin is loaded only if a trusted key has signed it; with
            warn the others are reported. Without the option CURFEW_TRUST decides; without both,
            signatures are not looked at.
            """,
            """
            The first line says that it serves. One line follows for each program that is
            started, each line of output and each end of a task, with the number of its
            request. SIGINT and SIGTERM end the host in order: nothing more is launched, running
            tasks expire and have their grace to end, and their requests stay in the store.
            A second signal leaves them a second, and a third one ends the host at once.
            """,
            """
            Other programs submit and ask over HTTP, on the socket control.sock in the directory
            of the store: see control.md of the documentation. Without libmicrohttpd there is
            none.
            """,
            """
            Started by systemd with Type=notify, it says when it is ready, reads its configuration
            and ends. With WatchdogSec it says that it lives only if its requests were looked at
            since. `make install` puts units for the system and for users in place.
            """,
            """
            SIGHUP has it read the configuration again, bring the schedules into the store, and load
            the plugins that are new; where there are faults, nothing is changed. On a terminal,
            whose end SIGHUP tells, it ends the host as the others do.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "a signal ended it in order, or the configuration has no fault"),
            ExitMeaning(
                .faults,
                "the configuration has faults, with --check also programs and handlers that are not there; or the output could not be written"
            ),
            ExitMeaning.usage, ExitMeaning(.missing, "with --check: there is no configuration"),
            ExitMeaning.denied, ExitMeaning.storeUnavailable,
            ExitMeaning(.host, "the host could not start"),
        ],
        sections: [
            HelpSection(
                title: "configuration",
                text: """
                    One object. {"schedules": [{"name": "tick", "command": ["/bin/date"], "every":
                    "15min"}]} is a whole one.
                    """,
                rows: ServeConfiguration.rows),
            HelpSection(
                title: "plugins",
                rows: ServeConfiguration.pluginRows),
            HelpSection(
                title: "control",
                text: """
                    The user of the host and root may do all. Other users have roles: read looks at
                    everything but payloads; submit submits requests for the handlers in its
                    "identifiers", such as ["org.example.*"], and looks at, cancels and retries what
                    is the user's own; operate reads, and changes the requests of everybody; admin
                    does all. What a user asks for is in the journal, and what a user was refused.
                    """,
                rows: ServeConfiguration.controlRows),
            HelpSection(
                title: "a schedule",
                rows: ServeConfiguration.scheduleRows),
            HelpSection(
                title: "with --check --json",
                rows: [
                    ("ok, files", "whether there is no fault; the files that were read"),
                    ("faults", "as of `curfew lint --json`"),
                    ("plugins", "what is wrong with the directories of plugins, or null"),
                    ("overrides", "plugins that have one and are not there"),
                    ("control", "what is wrong with the socket and the names of roles"),
                    ("schedules", "each with name, source, enabled, rule, next and fault"),
                ]),
            HelpSection(
                title: "with --json",
                text: """
                    Each line is an object with "event" and "date", and with these members:
                    """,
                rows: [
                    ("serving", "store, process, plugins: the identifiers of those loaded"),
                    (
                        "planned",
                        "the schedules: added, changed, removed, over: their names; kept: how many stay as they are"
                    ),
                    ("refused", "directory, error: a plugin that is not loaded"),
                    ("faulty", "error: the configuration that was read again; nothing was changed"),
                    ("log", "level, text, plugin, request: its number, or null"),
                    ("ended", "handler (the name of its events), request, succeeded, error"),
                    ("stopping", "the host ends"),
                ]),
            HelpSection(
                title: "thresholds",
                text: """
                    A time is written as 10min, a share as 80%. See thresholds.md of the
                    documentation.
                    """,
                rows: HostThreshold.rows),
        ],
        examples: [
            "curfew serve --check --config curfew.json",
            "timeout --foreground --preserve-status 2s curfew serve --json",
            "timeout --preserve-status 2s curfew serve --threshold idle-after=1min",
        ]
    ) { arguments, console throws(CommandError) in
        let files = ServeConfiguration.files(arguments)
        if arguments.has(ServeConfiguration.checkOption) {
            return try ServeConfiguration.check(files, arguments, console)
        }
        let given = try givenSocket()
        // Early, so that no signal ends a host that starts.
        let signals = try StopSignals(keepsHangup: files != nil)
        let configuration = try files.flatMap { (files) throws(CommandError) in
            try ServeConfiguration.read(files)
        }
        let place = try StorePlace(arguments, configured: configuration?.store)
        let search = try PluginSearch(
            arguments, configured: configuration?.plugins.directories, failingWith: .usage)
        let bus = HostBus(configuration?.factorSource ?? .kernel)
        var requests = try ServiceReload.requests(configuration, arguments, bus)
        bus.setThresholds(requests.machineThresholds)
        var settings = configuration?.plugins ?? PluginSettings()
        try settings.take(arguments)
        let isolation = try arguments.isolation
        requests.schedules = configuration?.schedules
        requests.scheduleSet = configuration?.scheduleSet ?? ""
        // The directory and its parents.
        let client = try place.make()
        let lines = ServeLines(
            console.out, configuration?.log ?? LogSettings(), isJSON: arguments.has(.json))
        if let files, configuration == nil { tellOfSchedules(client, without: files, lines) }
        let apps = startsApps(configuration, place).map {
            AppStarts($0, atATime: configuration?.appsAtATime ?? 2, lines)
        }
        AppStarts.cancelEarlier(client)
        requests.launched = {
            lines.launched($0, $1)
            apps?.noticed()
        }
        let host = try makeHost(place, requests, settings, isolation, lines)
        let traces = configuration?.traces.map { TraceExport($0, place.name, lines) }
        if let changes = host.scheduleChanges { lines.schedules(changes) }
        let observation: Observation
        do throws(CurfewError) {
            observation = try host.observe {
                lines.event($0)
                guard $0.task != 0 else { return }
                apps?.noticed()
                traces?.wake()
            }
        } catch {
            try? host.shutDown()
            lines.failed()
            throw CommandError(.host, error.message, fault: Fault.of(error.code))
        }
        let plugins = ServedPlugins(host, isolation: isolation, lines)
        let loaded = plugins.load(search, by: settings).ids
        let reloads = ReloadQueue(hasConfiguration: files != nil)
        let access = ControlAccess(configuration?.control ?? ControlSettings()) {
            lines.unknown($0, $1)
        }
        let control = openControl(
            host, place, reloads, access, configuration?.control ?? ControlSettings(),
            configuration?.web ?? WebSettings(), sendsTraces: traces != nil, given, lines)
        if let failure = traces?.start() {
            lines.log(.error, nil, 0, "traces are not sent: \(failure)")
        }
        let watch = bus.watch(host, lines)
        if let apps, !apps.start(host) {
            lines.log(.warning, nil, 0, "apps are not started: no thread can be started")
        }
        lines.serving(place.directory, loaded)
        var limits = ShutdownLimits()
        limits.expire = configuration?.stopGrace
        let reload = files.map {
            ServiceReload(
                $0, after: configuration, arguments, place, host, bus, access, plugins, lines)
        }
        let loading = PluginLoading(event: reloads.descriptor)
        // As a person who types Ctrl-C twice wants it, and still in order.
        signals.onSecond {
            lines.log(.warning, nil, 0, "another signal: what runs has a second left")
            host.hurryShutdown(1_000_000_000)
        }
        let life = ServiceLife(host, control, lines)
        life.run(signals, event: reloads.descriptor) {
            // Before the look, after which the event comes again.
            csys_eventfd_drain(reloads.descriptor)
            if loading.isBusy() { return }
            let calls = reloads.take()
            guard let reload else { return }
            switch reload.perform(&limits) {
            case .refused(let fault): reloads.finish(calls, .refused(fault))
            case .applied(let applied):
                control?.recheck(access)
                loading.start { [tellOfPlugins = life.tellOfPlugins] in
                    let changes = reload.loadPlugins(applied)
                    if !changes.plugins.isEmpty { tellOfPlugins() }
                    reloads.finish(calls, .applied(changes))
                }
            }
        } stopLimit: {
            host.longestShutdown(limits)
        }
        lines.stopping()
        reloads.close()
        control?.beginStop()
        watch?.stop()
        apps?.stop()
        try? host.shutDown(limits)
        loading.wait(atMost: 1_000_000_000)
        traces?.stop()
        control?.stop()
        observation.end()
        return .ok
    }

    /// Returns the directory of the apps' files, if this host starts apps: by default the host of the usual store, so
    /// that one of a user's hosts does.
    private static func startsApps(
        _ configuration: ServiceConfiguration?, _ place: StorePlace
    ) -> String? {
        guard
            configuration?.startsApps
                ?? (!place.isOnServer && place.name == StorePlace.usual)
        else { return nil }
        return AppFile.directory { Environment.value($0) }
    }

    private static func givenSocket() throws(CommandError) -> OwnedDescriptor? {
        do throws(ServiceManager.Failure) {
            return try GivenSocket.take()
        } catch {
            throw CommandError(
                .host,
                "the socket of the program that has started this host cannot be used: \(error.reason)",
                help: [
                    "the unit curfew.socket gives the right one; by hand:",
                    "systemd-socket-activate -l STORE/control.sock --fdname=control curfew serve --store STORE",
                ])
        }
    }

    /// Opens the control socket. A host without one launches requests all the same.
    private static func openControl(
        _ host: Host, _ place: StorePlace, _ reloads: ReloadQueue, _ access: ControlAccess,
        _ settings: ControlSettings, _ page: WebSettings, sendsTraces: Bool,
        _ given: OwnedDescriptor?, _ lines: ServeLines
    ) -> ControlSocket? {
        func made(
            _ settings: ControlSettings, lack: String? = nil
        ) throws(ControlSocket.Failure) -> ControlSocket {
            try ControlSocket(
                host, reloads, place, access, settings, page, sendsTraces: sendsTraces, lack: lack,
                given: given)
        }
        do throws(ControlSocket.Failure) {
            let control: ControlSocket
            do throws(ControlSocket.Failure) {
                control = try made(settings)
            } catch {
                guard let path = settings.socket, given == nil else { throw error }
                let lack =
                    "there is no control socket at \(path): \(error.reason); other users cannot reach this host until it is started again where there can be one"
                lines.log(.error, nil, 0, lack)
                control = try made(ControlSettings(), lack: lack)
            }
            if !control.isFound, let wanted = ControlPlace(place) {
                lines.log(
                    .warning, nil, 0,
                    "the socket that the host was given is not \(wanted.path), where the commands look for it"
                )
            }
            do throws(HTTPServer.Failure) {
                if let address = try control.openWeb() {
                    lines.log(.info, nil, 0, "the web page is at \(address); type `curfew web`")
                }
            } catch {
                lines.log(
                    .error, nil, 0,
                    "the web page cannot be served at \(page.listen ?? ""): \(error.reason)")
            }
            return control
        } catch {
            lines.log(
                .warning, nil, 0,
                "there is no control socket: \(error.reason); the host works without it")
            return nil
        }
    }

    /// Tells that schedules of the store are launched which no file says any more: a file may be away for
    /// other reasons than that somebody wants none.
    private static func tellOfSchedules(
        _ client: StoreClient, without files: ConfigurationFiles, _ lines: ServeLines
    ) {
        let stored = try? client.read { (store) throws(StoreFault) in try store.schedules().count }
        guard let stored, stored > 0 else { return }
        lines.log(
            .warning, nil, 0,
            "there is no configuration at \(files.path); the \(stored) schedule\(stored == 1 ? "" : "s") of the store \(stored == 1 ? "stays as it is" : "stay as they are"); to have none, write {\"schedules\": []} there"
        )
    }

    /// - Parameter isolation: of all plugins, whatever is said elsewhere.
    private static func makeHost(
        _ place: StorePlace, _ requests: RequestConfiguration, _ settings: PluginSettings,
        _ isolation: Isolation?, _ lines: ServeLines
    ) throws(CommandError) -> Host {
        do throws(CurfewError) {
            var configuration = HostConfiguration()
            configuration.permitsCommands = true
            configuration.entersLeafGroup = true
            // Their requests wait, and say why, instead of seeming to run.
            configuration.interruptsQuarantined = true
            configuration.loadsReleased = true
            configuration.apply(settings, isolation: isolation)
            configuration.log = { level, plugin, task, text in
                lines.log(level, plugin, task, text)
            }
            configuration.requests = requests
            try configuration.requests.store(in: place.name)
            return try Host(configuration)
        } catch {
            lines.failed()
            let isStore = [.storeLocked, .storeBusy, .storeFull].contains(error.code)
            throw CommandError(
                isStore ? .storeUnavailable : .host, error.message, fault: Fault.of(error.code),
                notes: ["nothing was launched"], help: ["curfew ps" + place.option])
        }
    }
}
