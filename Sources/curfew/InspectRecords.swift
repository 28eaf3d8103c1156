// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge
import Runner

/// Everything that is known of a plugin, as JSON. What is not known is left out.
enum InspectRecords {
    static func item(_ plugin: InspectedPlugin, _ trial: Trial?) -> JSONItem {
        var members: [(key: String, value: JSONItem)] = [
            ("directory", .text(plugin.directory)), ("ok", .bool(plugin.linted.faults.isEmpty)),
        ]
        if let manifest = plugin.manifest {
            members += [
                ("id", .text(manifest.id)), ("version", .text(manifest.version)),
                ("abi", .integer(Int64(manifest.abi))), ("library", library(plugin, manifest)),
                ("handlers", .list(manifest.handlers.map(PluginsCommand.item))),
                ("needs", manifest.needs.map(needs) ?? .null),
            ]
        }
        if let signer = plugin.signer { members.append(("signature", item(signer))) }
        if case .success(let features)? = plugin.features ?? plugin.programFeatures {
            members.append(("confinement", item(features)))
        }
        if plugin.features != nil, case .success(let features)? = plugin.programFeatures {
            members.append(("programConfinement", item(features)))
        }
        members.append(("faults", .list(plugin.linted.faults.map(FaultItem.item))))
        if let trial { members.append(("load", item(trial))) }
        return .object(members)
    }

    static func item(_ features: ChildFeatures) -> JSONItem {
        .object([
            ("inForce", .list(features.inForce.map { .text($0) })),
            (
                "notInForce",
                .list(
                    features.missing.map {
                        .object([("name", .text($0.name)), ("reason", .text($0.reason))])
                    })
            ),
        ])
    }

    private static func needs(_ needs: ManifestNeeds) -> JSONItem {
        func texts(_ list: [String]) -> JSONItem { .list(list.map { .text($0) }) }
        func number(_ number: UInt64?) -> JSONItem {
            number.map { .integer(Int64(clamping: $0)) } ?? .null
        }
        let network: JSONItem =
            switch needs.network {
            case .none: .bool(false)
            case .all: .bool(true)
            case .ports(let ports): texts(ports.map { "tcp:\($0)" })
            }
        return .object([
            ("read", texts(needs.read)), ("write", texts(needs.write)), ("run", texts(needs.run)),
            ("network", network), ("memory", number(needs.memory)),
            ("descriptors", number(needs.descriptors)), ("processes", number(needs.processes)),
            ("environment", texts(needs.environment)),
        ])
    }

    private static func item(_ signer: Result<PluginSigner, BridgeError>) -> JSONItem {
        switch signer {
        case .success(let signer):
            .object([
                ("valid", .bool(true)), ("key", .text(signer.key.id.description)),
                ("file", .text(signer.key.file)), ("comment", .text(signer.comment)),
            ])
        case .failure(let error):
            .object([
                ("valid", .bool(false)),
                ("code", .text(orNull: error.rule.flatMap(Fault.named)?.code)),
                ("reason", .text(error.message)),
            ])
        }
    }

    private static func library(_ plugin: InspectedPlugin, _ manifest: Manifest) -> JSONItem {
        guard let name = manifest.library else { return .null }
        var members: [(key: String, value: JSONItem)] = [("name", .text(name))]
        if let path = plugin.libraryPath { members.append(("path", .text(path))) }
        if let abi = plugin.linted.abi { members.append(("abi", .integer(Int64(abi)))) }
        if let file = plugin.file {
            members += [
                ("bytes", .integer(Int64(clamping: file.size))), ("owner", .text(file.owner)),
                ("mode", .text(file.mode)),
            ]
        }
        if let elf = plugin.elf {
            members += [
                ("machine", .text(elf.machine)), ("swift", .bool(elf.isSwift)),
                ("entry", .bool(plugin.exportsEntry)),
                ("needed", .list(elf.needed.map { .text($0) })),
            ]
            if let digest = elf.sha256 { members.append(("sha256", .text(digest))) }
            if let exports = elf.exports { members.append(("exports", .integer(Int64(exports)))) }
        }
        return .object(members)
    }

    private static func item(_ trial: Trial) -> JSONItem {
        var members: [(key: String, value: JSONItem)] = [
            ("ok", .bool(trial.isSound)), ("outcome", .text(trial.outcome)),
        ]
        switch trial.ending {
        case .exited(let status): members.append(("exit", .integer(Int64(status))))
        case .signalled(let signal):
            members.append(("signal", .text(ProcessFacts.name(ofSignal: signal))))
        case .timedOut: members.append(("timedOut", .bool(true)))
        case .tooMuch: members.append(("tooMuch", .bool(true)))
        case .unwatched: break
        }
        if let time = trial.loadTime { members.append(("seconds", .seconds(time))) }
        if let refusal = trial.refusal {
            members += [
                ("status", .text(orNull: refusal.status.constant)),
                ("reason", .text(refusal.reason)),
            ]
        }
        members += [
            ("handlers", texts(trial, .handler)), ("threads", texts(trial, .thread)),
            ("processes", texts(trial, .process)), ("descriptors", texts(trial, .descriptor)),
            ("signals", texts(trial, .signal)),
            ("log", .list(trial.log.map { .text($0.line) })),
            ("output", .text(String(decoding: trial.output, as: UTF8.self))),
            ("unreadOutput", .integer(Int64(trial.unreadOutput))),
        ]
        return .object(members)
    }

    private static func texts(_ trial: Trial, _ word: TrialRecord.Word) -> JSONItem {
        .list(trial.texts(word).map { .text($0) })
    }
}
