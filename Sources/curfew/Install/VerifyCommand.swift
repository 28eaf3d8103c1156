// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import PluginStore
import Scheduling

/// `curfew verify`
enum VerifyCommand {
    /// What was found out about a plugin.
    private struct Finding {
        let plugin: InstalledPlugin
        var problems: [String]
        let signer: PluginSigner?
        /// Why no signature counts.
        let reason: String?
        /// The digest of what the running host has loaded, if that is another build.
        let running: String?
    }

    /// What the host that uses the store has loaded.
    private struct Running {
        /// The digests of the plugins, by their ids.
        var builds: [String: String] = [:]
        /// `process 4711, since 2026-11-22 03:20:00 (2 h ago)`
        var host = ""

        /// Reads what the host of a store has told. A usual store that cannot be read does not matter: the
        /// plugins can be verified without it.
        init(_ arguments: Arguments) throws(CommandError) {
            do throws(CommandError) {
                try read(StorePlace(arguments).open())
            } catch {
                if arguments.has(.store) { throw error }
            }
        }

        private mutating func read(_ store: StoreClient) throws(CommandError) {
            try StorePlace.translated { () throws(StoreFault) in
                guard let host = try store.host() else { return }
                for other in try store.hosts() {
                    builds.merge(other.report?.builds ?? [:]) { first, _ in first }
                }
                self.host = HostNote.text(host, at: csys_realtime_ns())
            }
        }

        /// Returns the digest of what runs of a plugin; nil if that is what is installed, or unknown.
        func other(than plugin: InstalledPlugin) -> String? {
            guard let build = builds[plugin.id] else { return nil }
            let installed = try? PluginContent.read(directory: plugin.directory)
            return installed?.digest == build ? nil : build
        }
    }

    static let command = Command(
        name: "verify", summary: "compare installed plugins with what was installed",
        operands: "[ID…]", operandCount: 0...10_000, operandSort: .plugin,
        options: [.trust, InstallPlace.systemOption, .store, .json],
        details: [
            """
            Reads every file of the plugins again, and of their copies in the store, and
            compares them with the hashes of the installation; then the signatures are
            checked. Without ID, all plugins are verified that `curfew install` has put
            there. With --trust require, a plugin that no trusted key has signed is a fault.
            """,
            """
            What a host has loaded stays as it was, whatever is done to the files. If the host
            of the store runs another build than the one that is installed, a line says so.
            """,
        ],
        exits: [
            ExitMeaning(.ok, "all are as they were installed"),
            ExitMeaning(.faults, "a plugin was changed, or the output could not be written"),
            ExitMeaning.usage,
        ] + ExitMeaning.installing + [
            ExitMeaning(.refused, "a directory has something other than files in it"),
            ExitMeaning(.notFound, "there is no such plugin"),
        ],
        examples: ["curfew verify", "curfew verify --trust require --json"]
    ) { arguments, console throws(CommandError) in
        let place = try InstallPlace(arguments)
        let policy = try arguments.trust()
        var ids: [String] = []
        for word in arguments.operands { ids.append(try PluginName.checked(word)) }
        let running = try Running(arguments)
        let root = try place.open(console)
        if ids.isEmpty {
            ids = try InstallPlace.translated { () throws(StoreFailure) in try root.ids() }
        }
        var findings: [Finding] = []
        for id in ids { findings.append(try look(at: id, root, place.keys, policy, running)) }
        if arguments.has(.json) {
            console.out.line(JSONItem.object([("plugins", .list(findings.map(item)))]).written)
        } else {
            print(findings, running, root, console)
        }
        return findings.allSatisfy(\.problems.isEmpty) ? .ok : .faults
    }

    private static func look(
        at id: String, _ root: InstallRoot, _ keys: TrustedKeys, _ policy: TrustPolicy,
        _ running: Running
    ) throws(CommandError) -> Finding {
        let plugin = try InstallPlace.translated { () throws(StoreFailure) in
            try root.plugin(id)
        }
        guard let plugin else {
            throw CommandError(
                .notFound, "there is no plugin `\(id)` in \(root.directory)",
                help: ["curfew plugins"])
        }
        var problems: [String]
        do throws(StoreFailure) {
            problems = try root.problems(with: plugin)
        } catch {
            // The others are verified all the same.
            problems = [([error.message] + error.help).joined(separator: "; ")]
        }
        do throws(BridgeError) {
            _ = try PluginDirectory(plugin.directory)
        } catch {
            problems.append(error.message)
        }
        let other = running.other(than: plugin)
        do throws(BridgeError) {
            let signer = try PluginSigner(in: plugin.directory, keys: keys)
            return Finding(
                plugin: plugin, problems: problems, signer: signer, reason: nil, running: other)
        } catch {
            if policy == .require { problems.append(error.message) }
            return Finding(
                plugin: plugin, problems: problems, signer: nil, reason: error.message,
                running: other)
        }
    }

    private static func print(
        _ findings: [Finding], _ running: Running, _ root: InstallRoot, _ console: Console
    ) {
        let out = console.out
        for finding in findings {
            let name = "\(finding.plugin.id) \(finding.plugin.version.version): "
            let count = finding.problems.count
            guard count > 0 else {
                let signer = finding.signer.map { "signed by \($0.key.id)" } ?? "not signed"
                out.line(name + out.paint("ok", .good) + ", " + signer)
                note(finding, running, out)
                continue
            }
            out.line(name + out.paint("\(count) fault\(count == 1 ? "" : "s")", .alarm))
            for problem in finding.problems.prefix(20) {
                out.line("  " + out.wrapped(Shown.line(problem), after: 2, indent: 4))
            }
            if count > 20 { out.line("  and \(count - 20) more") }
            let hasVersion =
                (try? root.version(before: finding.plugin, of: finding.plugin.id)) != nil
            out.line(
                hasVersion
                    ? "  to bring back what was installed: curfew rollback \(finding.plugin.id)"
                    : "  to mend it, install it again from where you have it: curfew install DIR")
            note(finding, running, out)
        }
        if findings.isEmpty {
            out.line(
                out.wrapped(
                    "nothing was installed by curfew install in \(root.directory)", after: 0,
                    indent: 2))
        }
    }

    /// Prints what runs, if that is something else.
    private static func note(_ finding: Finding, _ running: Running, _ out: Output) {
        guard let other = finding.running else { return }
        let text =
            "another build of it runs in \(running.host): \(other); that host runs the installed one once it is started again"
        out.line("  " + out.wrapped(text, after: 2, indent: 4))
    }

    private static func item(_ finding: Finding) -> JSONItem {
        .object([
            ("id", .text(finding.plugin.id)), ("version", .text(finding.plugin.version.version)),
            ("hash", .text(finding.plugin.version.digest)), ("ok", .bool(finding.problems.isEmpty)),
            ("problems", .list(finding.problems.map { .text($0) })),
            ("signer", .text(orNull: finding.signer?.key.id.description)),
            ("reason", .text(orNull: finding.reason)),
            ("running", .text(orNull: finding.running)),
        ])
    }
}
