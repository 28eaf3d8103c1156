// SPDX-License-Identifier: Apache-2.0

/// The payload of a request that runs a program without a manifest, in JSON.
///
/// `{"argv": ["/usr/bin/rsync", "-a", "a", "b"], "directory": "/srv", "environment": {"LANG": "C"}}`
package struct CommandPayload: Hashable, Sendable {
    package let arguments: [String]
    package let directory: String
    package let environment: [String: String]

    /// The identifier of the handler that runs such programs, where a host permits that.
    package static var identifier: String { "org.curfew.command" }

    /// Reads a payload; returns nil for one that is none.
    package init?(_ payload: [UInt8]) {
        let (document, faults) = JSONReader.readAll(
            DiagnosticSource(file: "the payload", bytes: payload))
        guard faults.isEmpty, case .object(let members) = document?.kind else { return nil }
        func value(_ key: String) -> JSONValue.Kind? {
            members.first { $0.key == key }?.value.kind
        }
        func text(_ kind: JSONValue.Kind?) -> String? {
            guard case .string(let text) = kind, !text.utf8.contains(0) else { return nil }
            return text
        }
        guard case .array(let words) = value("argv"), !words.isEmpty,
            let directory = text(value("directory")), directory.utf8.first == UInt8(ascii: "/")
        else { return nil }
        let arguments = words.map { text($0.kind) }
        guard !arguments.contains(nil), arguments[0] != "" else { return nil }
        var variables: [String: String] = [:]
        switch value("environment") {
        case nil: break
        case .object(let members):
            for member in members {
                guard let content = text(member.value.kind) else { return nil }
                variables[member.key] = content
            }
        default: return nil
        }
        self.arguments = arguments.compactMap(\.self)
        self.directory = directory
        environment = variables
    }
}
