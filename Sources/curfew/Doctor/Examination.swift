// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Curfew
import Glibc
import PluginBridge
import Runner
import Scheduling
import Service

/// Looks at everything that a host needs, part by part.
struct Examination {
    private(set) var findings: [Finding] = []
    private let arguments: Arguments
    private var configuration: ServiceConfiguration?

    /// Bytes below which a disk is as good as full.
    private static var leastSpace: UInt64 { 64 << 20 }

    init(_ arguments: Arguments) {
        self.arguments = arguments
        findings.append(installation())
        findings.append(libraries())
        readConfiguration()
        lookAtStore()
        findings.append(plugins())
        findings.append(sandbox())
        findings.append(limits())
        findings.append(clock())
        if let finding = unit() { findings.append(finding) }
        if let finding = service() { findings.append(finding) }
    }

    // MARK: The installation and the configuration

    private func installation() -> Finding {
        let version = "version \(CURFEW_VERSION_STRING)"
        do throws(BridgeError) {
            try HelperProgram.check()
        } catch {
            return .fail("installation", error.message, mend: "make install")
        }
        return .ok("installation", version + ", with what starts processes")
    }

    /// The libraries that a host opens where they are there.
    private func libraries() -> Finding {
        guard let lack = HTTPServer.lack else { return .ok("libraries", "libmicrohttpd is there") }
        return .warn(
            "libraries", "a host has no control socket and no page: \(lack)",
            mend: "apt-get install libmicrohttpd12")
    }

    private mutating func readConfiguration() {
        guard let files = ServeConfiguration.files(arguments) else {
            return findings.append(
                .ok("configuration", "none is read, since --store names a store"))
        }
        do throws(ConfigurationFiles.Failure) {
            configuration = try files.read()
        } catch {
            let option = arguments.value(ServeConfiguration.option).map {
                " --config " + ShellWord.path($0)
            }
            switch error {
            case .file(let error):
                findings.append(.fail("configuration", error.message))
            case .faults(let faults):
                findings.append(
                    .fail(
                        "configuration",
                        "\(faults.count) fault\(faults.count == 1 ? "" : "s") in \(files.path); a host would not start",
                        mend: "curfew serve --check" + (option ?? "")))
            }
            return
        }
        guard let configuration else {
            return findings.append(.ok("configuration", "none at \(files.path): no schedules"))
        }
        let count = configuration.schedules.count
        findings.append(
            .ok("configuration", "\(files.path), \(count) schedule\(count == 1 ? "" : "s")"))
    }

    // MARK: The store

    private mutating func lookAtStore() {
        let place: StorePlace
        let store: StoreClient
        do throws(CommandError) {
            place = try StorePlace(arguments, configured: configuration?.store)
            store = try place.open()
        } catch {
            let isMissing = error.code == .missing
            findings.append(
                isMissing
                    ? .ok("store", error.message + " yet; a host makes it")
                    : .fail("store", error.message, mend: error.help.last))
            return
        }
        do throws(StoreFault) {
            let faults = try StoreClient.check(directory: place.name)
            guard faults.isEmpty else {
                return findings.append(
                    .fail(
                        "store", "\(place.directory) is damaged: \(faults[0])",
                        mend: "curfew db check" + place.option))
            }
            findings.append(
                store.warning.map { .warn("store", $0) }
                    ?? (place.isOnServer
                        ? .ok("store", place.directory) : Self.space(of: place.directory)))
            if let finding = Self.clock(store) { findings.append(finding) }
            try lookAtHosts(store, place)
            try lookAtRequests(store, place)
        } catch {
            findings.append(.fail("store", error.message))
        }
    }

    /// A clock that differs from the server's by a second or more.
    private static func clock(_ store: StoreClient) -> Finding? {
        let offset = store.wallOffset
        guard abs(offset) >= 1_000_000_000 else { return nil }
        let span = TimeText.limit(offset.magnitude / 1_000_000_000 * 1_000_000_000)
        return .warn(
            "clock",
            "this machine's clock is \(span) \(offset < 0 ? "ahead of" : "behind") that of the store's server: its hosts go by the server's, and dates that are typed here by this one's",
            mend: "timedatectl set-ntp true")
    }

    private static func space(of directory: String) -> Finding {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return .ok("store", directory) }
        let free = UInt64(status.f_bavail) &* UInt64(status.f_frsize)
        let text = "\(directory), \(Shown.number(free >> 20)) MiB free"
        return free < leastSpace
            ? .warn(
                "store", text + ": requests are refused when it is full",
                mend: "df -h " + ShellWord.path(directory))
            : .ok("store", text)
    }

    private mutating func lookAtHosts(
        _ store: StoreClient, _ place: StorePlace
    ) throws(StoreFault) {
        let hosts = try store.hosts()
        for host in hosts where host.isSilent {
            findings.append(
                .warn(
                    "host",
                    "\(HostItem.name(host)) is \(HostItem.stateText(host, at: csys_realtime_ns())): others launch again what ran in it",
                    mend: "curfew hosts" + place.option))
        }
        guard let host = try store.host() else {
            return findings.append(
                .warn(
                    "host", "none uses the store, so nothing is launched",
                    mend: Self.isUnderSystemd
                        ? "systemctl --user enable --now curfew" : "curfew serve" + place.option))
        }
        findings.append(.ok("host", HostNote.text(host, at: csys_realtime_ns())))
        findings.append(socket(of: place))
    }

    /// Whether the host answers at its socket.
    private func socket(of place: StorePlace) -> Finding {
        do throws(CommandError) {
            _ = try ControlClient(place).call("GET", "/v1/me", having: nil)
        } catch {
            return .warn(
                "socket", ([error.message] + error.notes).joined(separator: "; "),
                mend: HTTPServer.lack == nil ? nil : "apt-get install libmicrohttpd12")
        }
        return .ok("socket", "the host answers at \(ControlPlace(place)?.path ?? "its socket")")
    }

    private mutating func lookAtRequests(
        _ store: StoreClient, _ place: StorePlace
    ) throws(StoreFault) {
        let quarantined = try store.quarantine().plugins.count
        if quarantined > 0 {
            findings.append(
                .warn(
                    "quarantine",
                    "\(quarantined) plugin\(quarantined == 1 ? " is" : "s are") not run",
                    mend: "curfew quarantine" + place.option))
        }
        let (parked, over) = try store.read { (store) throws(StoreFault) in
            var over: [String] = []
            for schedule in try store.schedules() {
                guard let id = schedule.request else { continue }
                if try store.request(id)?.state.isLive != true { over.append(schedule.name) }
            }
            let parked = try store.requests(RequestFilter(states: [.parked], limit: 1_000)).count
            return (parked, over)
        }
        if parked > 0 {
            findings.append(
                .warn(
                    "requests",
                    "\(parked) \(parked == 1 ? "is" : "are") parked: the process crashed while the task ran",
                    mend: "curfew ps --state parked" + place.option))
        }
        if !over.isEmpty {
            findings.append(
                .warn(
                    "schedules",
                    "\(over.prefix(5).joined(separator: ", "))\(over.count > 5 ? ", …" : "") \(over.count == 1 ? "is" : "are") not launched: cancelled by hand, or over",
                    mend: "curfew schedules" + place.option))
        }
    }

    // MARK: Plugins and their processes

    private func plugins() -> Finding {
        do throws(CommandError) {
            let search = try PluginSearch(
                arguments, configured: configuration?.plugins.directories, failingWith: .usage)
            let all = search.plugins.filter { $0.shadowedBy == nil }
            let faulty = all.filter { $0.sound == nil }
            guard let first = faulty.first else {
                return .ok("plugins", "\(all.count) found")
            }
            return .fail(
                "plugins",
                "\(faulty.count) of \(all.count) have faults, such as \(first.directory)",
                mend: "curfew lint " + ShellWord.path(first.directory))
        } catch {
            return .fail("plugins", error.message, mend: error.help.last)
        }
    }

    private func sandbox() -> Finding {
        let features: ChildFeatures
        do throws(BridgeError) {
            features = try ChildFeatures.probe(ManifestNeeds(), entersLeaf: true)
        } catch {
            return .fail("sandbox", error.message)
        }
        guard !features.missing.isEmpty else { return .ok("sandbox", "all of it is in force") }
        return .warn(
            "sandbox",
            "not in force: " + features.missing.map(\.text).joined(separator: "; "),
            mend: "curfew inspect")
    }

    private func limits() -> Finding {
        var files = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else {
            return .ok("limits", "not known")
        }
        let least = UInt64(csys_descriptors_least)
        if files.rlim_cur < least {
            return .fail(
                "limits", "\(files.rlim_cur) open files are too few: processes need \(least)",
                mend: "ulimit -n 1024")
        }
        if files.rlim_cur < 1_024 {
            return .warn(
                "limits", "\(files.rlim_cur) open files are few for many plugins",
                mend: "ulimit -n 1024")
        }
        return .ok("limits", "\(files.rlim_cur) open files")
    }

    // MARK: The clock

    /// A clock that nobody sets goes wrong by seconds a day, and dates with it.
    private func clock() -> Finding {
        let error = csys_clock_error_us()
        guard error < 0 else {
            return .ok("clock", "it is set by the network, to \(error / 1_000 + 1) ms or better")
        }
        return .warn(
            "clock", "nothing says that this machine's clock is right: dates may be wrong as well",
            mend: Self.isUnderSystemd ? "timedatectl set-ntp true" : nil)
    }

    // MARK: The service

    private static var isUnderSystemd: Bool { access("/run/systemd/system", F_OK) == 0 }

    /// Returns whether systemd starts a host with the machine, or with the session; nil without systemd, and where
    /// there is no unit to start.
    private func unit() -> Finding? {
        let isSystem = geteuid() == 0
        guard Self.isUnderSystemd, arguments.value(.store) == nil,
            let configured = isSystem ? "/etc" : Self.userConfiguration
        else { return nil }
        let directory = configured + (isSystem ? "/systemd/system" : "/systemd/user")
        let target = isSystem ? "multi-user" : "default"
        let option = isSystem ? "" : "--user "
        let wants = ["\(target).target.wants/curfew.service", "sockets.target.wants/curfew.socket"]
        if wants.contains(where: { access(directory + "/" + $0, F_OK) == 0 }) {
            return .ok("unit", "systemd starts curfew.service")
        }
        return .warn(
            "unit",
            "systemd starts no host \(isSystem ? "with the machine" : "with this user's session")",
            mend: "systemctl \(option)enable --now curfew")
    }

    private static var userConfiguration: String? {
        if let place = Environment.value("XDG_CONFIG_HOME"), place.begins(with: "/") {
            return place
        }
        return Environment.value("HOME").flatMap { $0.begins(with: "/") ? $0 + "/.config" : nil }
    }

    /// Returns whether the user's services survive a logout; nil for root, and without systemd.
    private func service() -> Finding? {
        guard Self.isUnderSystemd, geteuid() != 0, let entry = getpwuid(geteuid()),
            let name = entry.pointee.pw_name
        else { return nil }
        let user = String(cString: name)
        if access("/var/lib/systemd/linger/\(user)", F_OK) == 0 {
            return .ok("service", "goes on when \(user) is logged out")
        }
        return .warn(
            "service", "a host of systemd's ends when \(user) logs out",
            mend: "loginctl enable-linger")
    }
}
