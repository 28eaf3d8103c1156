// SPDX-License-Identifier: Apache-2.0

/// The objects a manifest is made of, and the keys each of them has.
enum ManifestObject: CaseIterable {
    case manifest
    case needs
    case handler
    case event
    case example
    case exampleFile
    case call
    case systemLibrary
    case argument
    case kept
    case command
    case commandWord

    /// With its article, for messages.
    var noun: String {
        switch self {
        case .manifest: "a manifest"
        case .needs: "what a plugin needs"
        case .handler: "a handler"
        case .event: "an event"
        case .example: "an example"
        case .exampleFile: "a large file of an example"
        case .call: "a call"
        case .systemLibrary: "a library of the system"
        case .argument: "an argument"
        case .kept: "what is kept"
        case .command: "a command"
        case .commandWord: "a word of a command"
        }
    }

    var keys: [ManifestKey] {
        switch self {
        case .manifest: Self.manifestKeys
        case .needs: Self.needsKeys
        case .handler: Self.handlerKeys
        case .event: Self.eventKeys
        case .example: Self.exampleKeys
        case .exampleFile: Self.exampleFileKeys
        case .call: Self.callKeys
        case .systemLibrary: Self.systemLibraryKeys
        case .argument: Self.argumentKeys
        case .kept: Self.keptKeys
        case .command: Self.commandKeys
        case .commandWord: Self.commandWordKeys
        }
    }

    private static let manifestKeys: [ManifestKey] = [
        .id, .version, .abi, .library, .sha256, .needs, .handlers,
    ]
    private static let needsKeys: [ManifestKey] = [
        .read, .write, .run, .network, .memory, .descriptors, .processes, .variables,
    ]
    private static let handlerKeys: [ManifestKey] = [
        .identifier, .kind, .budget, .grace, .maxConcurrency, .maxInStore, .onLeaseLost, .event,
        .events, .requires, .form, .call, .command, .isolation, .examples,
    ]
    private static let eventKeys: [ManifestKey] = [.eventName, .parameters]
    private static let exampleKeys: [ManifestKey] = [.exampleName, .payload, .expect, .files]
    private static let exampleFileKeys: [ManifestKey] = [.bytes]
    private static let callKeys: [ManifestKey] = [
        .function, .callLibrary, .signature, .arguments, .result, .keep, .free,
    ]
    private static let systemLibraryKeys: [ManifestKey] = [.system]
    private static let argumentKeys: [ManifestKey] = [.from, .lengthOf, .out, .buffer, .hex]
    private static let commandKeys: [ManifestKey] = [
        .argv, .input, .environment, .directory, .success, .retry, .progress, .resultLines,
    ]
    private static let commandWordKeys: [ManifestKey] = [.source]
    private static let keptKeys: [ManifestKey] = [.keptArgument, .keptLength]

    func hasKey(named name: String) -> Bool {
        keys.contains { ManifestFields.isSame(name, $0.name) }
    }
}
