// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling

/// What keeps a host from doing all its work, as it sees it itself.
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

    var status: Status {
        if findings.contains(where: { $0.state == .fail }) { return .degraded }
        return isDrained ? .drained : .ok
    }

    /// - Parameter fault: why the configuration that was read last does not count; nil if it does.
    init(_ host: Host, configurationFault fault: String?) {
        lookAtRequests(host)
        lookAtPlugins(host)
        lookAtHandlers(host)
        if let fault { findings.append(.fail("configuration", fault)) }
    }

    private mutating func lookAtRequests(_ host: Host) {
        do throws(CurfewError) {
            let since = try host.drainedSince()
            findings.append(.ok("store", "it works"))
            let running = try host.requestTasks().count
            let tasks = "\(running) task\(running == 1 ? " runs" : "s run")"
            if let since {
                isDrained = true
                findings.append(
                    .warn(
                        "launches", "none since \(DateText.full(since)): it is drained; \(tasks)",
                        mend: "curfew drain --end"))
            } else {
                findings.append(.ok("launches", "requests are launched; \(tasks)"))
            }
        } catch {
            findings.append(
                .fail("store", "\(error.message); nothing is launched", mend: "curfew doctor"))
        }
    }

    private mutating func lookAtPlugins(_ host: Host) {
        let plugins = host.plugins
        let refused = plugins.filter { $0.status == .failed }
        for plugin in refused {
            let name = plugin.id.isEmpty ? plugin.directory : plugin.id
            let reason = plugin.reason.parts(at: "\n").first.map(String.init) ?? ""
            findings.append(
                .fail(
                    "plugins", "\(name) is not loaded: \(reason)",
                    mend: "curfew lint \(ShellWord.path(plugin.directory))"))
        }
        guard refused.isEmpty else { return }
        let count = plugins.count { $0.status == .ready }
        findings.append(
            .ok("plugins", count == 0 ? "none" : "\(count) loaded"))
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
                        "handlers", "\(name) is quarantined: \(reason)", mend: "curfew quarantine"))
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
