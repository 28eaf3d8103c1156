// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import PluginBridge
import Scheduling

/// The state of a host for people and monitoring: each part with what is wrong and what mends it.
struct HostHealth {
    enum Status: String {
        /// It does all its work.
        case ok
        /// It launches nothing because a person wants that.
        case drained
        /// Some of its work waits for somebody to mend something.
        case degraded
    }

    private(set) var findings: [Finding] = []
    private var isDrained = false
    /// The option by which commands find the store.
    private let option: String

    var status: Status {
        if findings.contains(where: { $0.state == .fail }) { return .degraded }
        return isDrained ? .drained : .ok
    }

    /// - Parameters:
    ///   - fault: why the configuration that was read last does not count; nil if it does.
    ///   - lack: why there is no socket where the configuration wants it; nil if there is.
    init(_ host: Host, _ place: StorePlace, _ fault: ReloadQueue.Fault?, lack: String?) {
        option = place.option
        lookAtStore(host, place)
        lookAtPlugins(host)
        lookAtHandlers(host)
        if let lack {
            findings.append(.fail("socket", lack, mend: "curfew serve --check"))
        }
        if let fault { findings.append(.fail("configuration", fault.text, mend: fault.mend)) }
    }

    private mutating func lookAtStore(_ host: Host, _ place: StorePlace) {
        var tasks = ""
        do throws(CurfewError) {
            let running = try host.requestTasks().count
            tasks = "; \(running) task\(running == 1 ? " runs" : "s run")"
            // Fails if the store does.
            _ = try host.request(RequestID(rawValue: 1))
            findings.append(Self.space(place.directory))
        } catch {
            findings.append(
                .fail(
                    "store", "\(error.message); nothing is launched",
                    mend: "curfew doctor" + option))
        }
        if let since = host.drainedSince {
            isDrained = true
            findings.append(
                .warn(
                    "launches", "none since \(DateText.full(since)): it is drained" + tasks,
                    mend: "curfew drain --end" + option))
        } else if let setting = try? host.settings().settings[.all],
            setting.enablement != .enabled
        {
            isDrained = true
            findings.append(
                .warn(
                    "launches", "none: all handlers are \(setting.enablement.name)" + tasks,
                    mend: "curfew settings enablement=enabled" + option))
        } else if !findings.contains(where: { $0.state == .fail }) {
            findings.append(.ok("launches", "requests are launched" + tasks))
        }
    }

    /// Returns the finding about the store's disk, which can be full although no write has failed yet.
    private static func space(_ directory: String) -> Finding {
        var status = statvfs()
        guard statvfs(directory, &status) == 0,
            UInt64(status.f_bavail) &* UInt64(status.f_frsize) < leastSpace
        else { return .ok("store", "it works") }
        return .fail(
            "store", "its disk is full: requests are refused",
            mend: "df -h " + ShellWord.path(directory))
    }

    /// Bytes below which a disk is as good as full: a commit takes some pages.
    private static var leastSpace: UInt64 { 64 << 10 }

    private mutating func lookAtPlugins(_ host: Host) {
        let plugins = host.plugins
        let failed = plugins.filter { $0.status == .failed }
        let refused = failed.filter { !host.isDisabled($0.id) }
        let quarantined = Set(refused.filter { $0.reason.contains(" is quarantined") }.map(\.id))
        for plugin in refused {
            let name = plugin.id.isEmpty ? plugin.directory : plugin.id
            let reason = plugin.reason.parts(at: "\n").first.map(String.init) ?? ""
            findings.append(
                .fail(
                    "plugins", "\(name) is not loaded: \(reason)",
                    mend: quarantined.contains(plugin.id)
                        ? "curfew release \(plugin.id)" + option
                        : "curfew lint \(ShellWord.path(plugin.directory))"))
        }
        guard refused.isEmpty else { return }
        let count = plugins.count { $0.status == .ready }
        findings.append(
            .ok(
                "plugins",
                (count == 0 ? "none" : "\(count) loaded")
                    + (failed.isEmpty ? "" : ", \(failed.count) disabled")))
    }

    private mutating func lookAtHandlers(_ host: Host) {
        let handlers = host.handlers
        var plugins: Set<String> = []
        for handler in handlers {
            if let reason = handler.quarantineReason,
                handler.plugin.isEmpty || plugins.insert(handler.plugin).inserted
            {
                let name = handler.plugin.isEmpty ? handler.identifier : handler.plugin
                findings.append(
                    .fail(
                        "handlers", "\(name) is quarantined: \(reason)",
                        mend: handler.plugin.isEmpty
                            ? nil : "curfew release \(handler.plugin)" + option))
            }
            if handler.lost > 0 {
                findings.append(
                    .fail(
                        "handlers",
                        "\(handler.lost) task\(handler.lost == 1 ? "" : "s") of \(handler.identifier) did not end when told to"
                    ))
            }
        }
    }

    var item: JSONItem {
        .object([
            ("status", .text(status.rawValue)), ("findings", .list(findings.map(\.item))),
        ])
    }
}
