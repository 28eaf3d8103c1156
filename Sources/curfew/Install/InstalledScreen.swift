// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import PluginStore
import Scheduling

/// What `curfew install` and `curfew rollback` print of a plugin.
struct InstalledScreen {
    let manifest: Manifest
    let version: StoredVersion
    let signer: PluginSigner?
    /// What was there before.
    let before: StoredVersion?
    let directory: String

    private var isChanged: Bool { before?.digest != version.digest }

    func show(_ console: Console, _ word: String) {
        let out = console.out
        let name = "\(manifest.id) \(manifest.version)"
        guard isChanged else {
            out.line("\(name): \(out.paint("installed already", .good)), with this content")
            return
        }
        let over =
            before.map {
                ", in place of " + ($0.version == "-" ? "one with a faulty manifest" : $0.version)
            } ?? ""
        out.line("\(name): \(out.paint(word, .good))\(over)")
        let columns = max(40, out.columns ?? 100)
        let rows = [
            ("directory", directory),
            (
                "signed by",
                signer.map { "\($0.key.id), the key of \($0.key.file)" } ?? "no trusted key"
            ),
        ]
        for line in TermList.lines(rows.map { ($0.0, Shown.line($0.1)) }, columns: columns) {
            out.line(line)
        }
        let search = PluginSearchPath.ofProcess(installed: Installation.plugins).directories
        guard !search.contains(where: { directory.begins(with: $0.appending(component: "")) })
        else { return }
        let note = "that directory is not searched: \(PluginSearchPath.variable) names others"
        out.line(out.paint("note", .warning) + ": " + out.wrapped(note, after: 6, indent: 6))
    }

    var item: JSONItem {
        .object([
            ("id", .text(manifest.id)), ("version", .text(manifest.version)),
            ("hash", .text(version.digest)), ("directory", .text(directory)),
            ("changed", .bool(isChanged)),
            (
                "before",
                before.map {
                    .object([("version", .text($0.version)), ("hash", .text($0.digest))])
                } ?? .null
            ), ("signer", .text(orNull: signer?.key.id.description)),
        ])
    }
}
