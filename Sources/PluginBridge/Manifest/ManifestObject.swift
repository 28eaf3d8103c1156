// SPDX-License-Identifier: Apache-2.0

/// The objects a manifest is made of, and the keys each of them has.
enum ManifestObject: CaseIterable {
    case manifest
    case handler
    case event
    case example
    case call
    case systemLibrary
    case argument
    case kept

    /// With its article, for messages.
    var noun: String {
        switch self {
        case .manifest: "a manifest"
        case .handler: "a handler"
        case .event: "an event"
        case .example: "an example"
        case .call: "a call"
        case .systemLibrary: "a library of the system"
        case .argument: "an argument"
        case .kept: "what is kept"
        }
    }

    var keys: [ManifestKey] {
        switch self {
        case .manifest: [.id, .version, .abi, .library, .sha256, .handlers]
        case .handler:
            [
                .identifier, .kind, .budget, .grace, .maxConcurrency, .event, .events, .requires,
                .form, .call, .isolation, .examples,
            ]
        case .event: [.eventName, .parameters]
        case .example: [.exampleName, .payload, .expect, .files]
        case .call:
            [.function, .callLibrary, .signature, .arguments, .result, .keep, .free]
        case .systemLibrary: [.system]
        case .argument: [.from, .lengthOf, .out, .buffer, .hex]
        case .kept: [.keptArgument, .keptLength]
        }
    }

    /// Returns the key of that name. Compares bytes: text that is merely equivalent is no key.
    func key(named name: String) -> ManifestKey? {
        keys.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
