// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge
import Runner
import Scheduling

/// Everything that is known of a plugin, as lines for a person.
struct InspectScreen {
    private let out: Output
    private let columns: Int

    init(_ out: Output) {
        self.out = out
        columns = max(40, out.columns ?? 80)
    }

    func show(_ plugin: InspectedPlugin, _ trial: Trial?) {
        if let manifest = plugin.manifest {
            out.line(out.paint("\(manifest.id) \(manifest.version)", .strong))
        } else {
            out.line(out.paint(Shown.line(plugin.directory), .strong))
        }
        row("directory", plugin.directory)
        let count = plugin.linted.faults.count
        row(
            "manifest", count == 0 ? "ok" : "\(count) fault\(count == 1 ? "" : "s"), see below",
            count == 0 ? .good : .alarm)
        if let manifest = plugin.manifest {
            library(plugin)
            signature(plugin)
            needs(plugin, manifest)
        }
        for handler in plugin.manifest?.handlers ?? [] { show(handler) }
        if let trial { show(trial) }
        guard count > 0 else { return }
        var screen = FaultScreen()
        for fault in plugin.linted.faults {
            out.line()
            out.line(screen.text(of: fault, out))
        }
    }

    // MARK: The library

    private func library(_ plugin: InspectedPlugin) {
        guard let manifest = plugin.manifest else { return }
        guard let library = manifest.library else {
            row(
                "library",
                manifest.hasCode
                    ? "none of its own: its handlers call functions of the system's"
                    : "none: its handlers run programs")
            return
        }
        let note = plugin.linted.abi.map { "\($0) in the library's note" } ?? "no note to be read"
        row("ABI", "\(manifest.abi) in the manifest, \(note)")
        if let file = plugin.file {
            row(
                "library",
                "\(library), \(Shown.number(file.size)) bytes, \(file.owner), \(file.mode)"
            )
        } else {
            row("library", "\(library), which does not exist", .alarm)
        }
        guard let elf = plugin.elf else { return }
        if let digest = elf.sha256 { row("sha256", digest) }
        let code = elf.isSwift ? "code of Swift" : "no code of Swift"
        row("built for", "\(elf.machine), with \(code)")
        let exports = elf.exports.map { "\($0) symbol\($0 == 1 ? "" : "s")" } ?? "unknown"
        row(
            "exports",
            exports
                + (plugin.exportsEntry
                    ? ", curfew_plugin_entry among them" : ", no curfew_plugin_entry"),
            plugin.exportsEntry || manifest.handlers.allSatisfy { $0.form != .entry }
                ? nil : .alarm)
        row("needs", elf.needed.isEmpty ? "no library" : elf.needed.joined(separator: ", "))
    }

    private func signature(_ plugin: InspectedPlugin) {
        switch plugin.signer {
        case .success(let signer)?:
            row("signed by", "\(signer.key.id), the key of \(signer.key.file)", .good)
            row("", signer.comment)
        case .failure(let error)? where error.rule == LoadRule.unsigned.rawValue:
            row("signed by", "nobody: there is no \(PluginSigner.fileName)")
        case .failure(let error)?:
            row("signed by", "nobody that is trusted: \(error.message)", .warning)
            if let fault = error.rule.flatMap(Fault.named) {
                row("", "curfew explain \(fault.code)", .accent)
            }
        case nil: break
        }
    }

    // MARK: What confines it

    func show(_ features: ChildFeatures) {
        out.line(out.paint("a plugin in a process of its own, on this machine", .strong))
        confinement(features)
    }

    private func confinement(_ features: ChildFeatures, _ label: String = "in force") {
        row(
            label,
            features.inForce.isEmpty ? "nothing" : features.inForce.joined(separator: ", "))
        for (index, missing) in features.missing.enumerated() {
            row(index == 0 ? "missing" : "", missing.text, .warning)
        }
    }

    private func needs(_ plugin: InspectedPlugin, _ manifest: Manifest) {
        let files: [(String, [String])]
        if let needs = manifest.needs {
            files = [("reads", needs.read), ("writes", needs.write), ("executes", needs.run)]
            let said = files.filter { !$0.1.isEmpty }.map {
                "\($0.0) \($0.1.joined(separator: ", "))"
            }
            row(
                "files",
                said.isEmpty ? "only what every plugin can read" : said.joined(separator: "; "))
            row("network", needs.network.text)
        } else {
            row("files", "all of the user's: its manifest has no `needs`")
            row("network", "any, for the same reason")
        }
        let programs = plugin.features == nil ? "in force" : "programs"
        for (result, label) in [(plugin.features, "in force"), (plugin.programFeatures, programs)] {
            switch result {
            case .success(let features): confinement(features, label)
            case .failure(let error): row(label, "nothing: \(error.message)", .alarm)
            case nil: break
            }
        }
    }

    // MARK: Handlers

    private func show(_ handler: ManifestHandler) {
        out.line()
        out.line("\(out.paint(handler.identifier, .strong)), \(handler.kind.name)")
        if let call = handler.call {
            row("calls", call.text)
        } else if let command = handler.command {
            row("runs", command.text)
        } else if handler.form == .subs {
            row("made of", "subs: do\(handler.event) or \(handler.event)_controller")
        }
        row(
            "budget",
            "\(TimeText.limit(handler.budget)), grace \(TimeText.limit(handler.grace)), "
                + "\(handler.maxConcurrency) at a time"
                + (handler.maxInStore.map { ", \($0) in all hosts of a store" } ?? ""))
        if handler.onLeaseLost == .finish {
            row("cut off", "its tasks go on, also while another host runs their requests again")
        }
        row("raises", "of the host: " + handler.hostEventsText)
        if !handler.events.isEmpty {
            row("", "its own: " + handler.events.map(\.text).joined(separator: ", "))
        }
        let requires = handler.requires.map(\.rawValue).sorted()
        row("requires", requires.isEmpty ? "nothing" : requires.joined(separator: ", "))
    }

    // MARK: What loading taught

    private func show(_ trial: Trial) {
        out.line()
        out.line(out.paint("loaded in a process of its own", .strong))
        row("outcome", trial.outcome, trial.isSound ? .good : .alarm)
        if let refusal = trial.refusal {
            row("reason", refusal.reason.split(separator: "\n").first.map(String.init) ?? "")
            if let fault = refusal.fault {
                row("", "curfew explain \(fault.code)", .accent)
            }
        }
        if let time = trial.loadTime { row("took", TimeText.spent(time)) }
        list("registered", trial.texts(.handler))
        list("threads", trial.texts(.thread).map { $0.isEmpty ? "one without a name" : $0 })
        list("processes", trial.texts(.process))
        list(
            "open files",
            trial.texts(.descriptor).map { $0.replacing(" ", with: " → ", maxReplacements: 1) })
        list("signals", trial.texts(.signal))
        // The refusal is printed above.
        let reason = trial.refusal?.reason
        let log = trial.log.filter { line in reason.map { !line.line.hasSuffix($0) } ?? true }
        for (index, line) in log.prefix(20).enumerated() {
            row(index == 0 ? "log" : "", line.line, line.level >= .warning ? .warning : nil)
        }
        if log.count > 20 { row("", "\(log.count - 20) more lines") }
        let written = Shown.lines(String(decoding: trial.output, as: UTF8.self))
        for (index, line) in written.prefix(10).enumerated() {
            row(index == 0 ? "wrote" : "", line)
        }
        if written.count > 10 || trial.unreadOutput > 0 { row("", "and more") }
    }

    /// Prints the items, or that there are none.
    private func list(_ word: String, _ items: [String]) {
        row(word, items.isEmpty ? "none" : items.joined(separator: ", "))
    }

    // MARK: Lines

    private static var indent: Int { 13 }

    /// A word and a text, wrapped; nothing that came from outside moves the cursor.
    private func row(_ word: String, _ text: String, _ colour: Colour? = nil) {
        let room = columns - Self.indent
        for (index, line) in Shown.wrapped(Shown.line(text), room).enumerated() {
            let head = "  " + Shown.padded(index == 0 ? word : "", Self.indent - 2)
            out.line(out.paint(head, .faint) + (colour.map { out.paint(line, $0) } ?? line))
        }
    }
}

extension EventSignature {
    /// `tidy_step(int32, text)`
    var text: String {
        "\(selector.name)(\(parameters.map(\.name).joined(separator: ", ")))"
    }
}

extension ManifestNeeds.Network {
    var text: String {
        switch self {
        case .none: "none"
        case .all: "any"
        case .ports(let ports):
            "TCP to port\(ports.count == 1 ? "" : "s") "
                + ports.map(String.init).joined(separator: ", ")
        }
    }
}

extension ManifestHandler {
    var hostEventsText: String {
        HandlerDescription.hostEvents(of: event).map(\.selector.name).joined(separator: ", ")
    }
}
