// SPDX-License-Identifier: Apache-2.0

/// The payload of a request that runs a program without a manifest, in JSON.
///
/// `{"argv": ["/usr/bin/rsync", "-a", "a", "b"], "directory": "/srv", "environment": {"LANG": "C"},
/// "budget": "2h", "grace": "30s", "input": "…", "output": "/var/log/sync.log"}`; the last five are optional.
package struct CommandPayload: Hashable, Sendable {
    package let arguments: [String]
    package let directory: String
    package let environment: [String: String]
    /// Nanoseconds; nil for the default.
    package let budget: UInt64?
    package let grace: UInt64?
    /// The text of standard input; nil if standard input is empty.
    package let input: String?
    package let output: ProgramOutput

    /// The identifier of the handler that runs such programs, where a host permits that.
    package static var identifier: String { "org.curfew.command" }
    /// The maximum number of such programs that run at the same time.
    package static var limit: UInt32 { 64 }

    package init(
        arguments: [String], directory: String, environment: [String: String] = [:],
        budget: UInt64? = nil, grace: UInt64? = nil, input: String? = nil,
        output: ProgramOutput = .log
    ) {
        self.output = output
        self.arguments = arguments
        self.directory = directory
        self.environment = environment
        self.budget = budget
        self.grace = grace
        self.input = input
    }

    /// The payload, as `init(_:)` reads it. Equal ones have equal bytes.
    package var encoded: [UInt8] {
        var text = "{\"argv\":[" + arguments.map(JSONText.quoted).joined(separator: ",") + "]"
        text += ",\"directory\":" + JSONText.quoted(directory)
        if !environment.isEmpty {
            let variables = environment.sorted { $0.key < $1.key }.map {
                JSONText.quoted($0.key) + ":" + JSONText.quoted($0.value)
            }
            text += ",\"environment\":{" + variables.joined(separator: ",") + "}"
        }
        for (key, span) in [("budget", budget), ("grace", grace)] {
            if let span { text += ",\"\(key)\":\"\(Self.written(span))\"" }
        }
        if let input { text += ",\"input\":" + JSONText.quoted(input) }
        if output != .log { text += ",\"output\":" + JSONText.quoted(output.text) }
        return Array((text + "}").utf8)
    }

    /// Writes a duration as a payload has it, without loss.
    package static func written(_ nanoseconds: UInt64) -> String {
        let (whole, part) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard part > 0 else { return ManifestDuration.text(nanoseconds) }
        let digits = String(part)
        return "\(whole).\(String(repeating: "0", count: 6 - digits.count))\(digits)ms"
    }

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
        func duration(_ key: String, _ range: ClosedRange<UInt64>) -> UInt64?? {
            guard let kind = value(key) else { return .some(nil) }
            guard let text = text(kind), let nanoseconds = ManifestDuration.parse(text),
                range.contains(nanoseconds)
            else { return nil }
            return nanoseconds
        }
        guard let budget = duration("budget", Manifest.budgetRange),
            let grace = duration("grace", Manifest.graceRange)
        else { return nil }
        (self.budget, self.grace) = (budget, grace)
        switch value("input") {
        case nil: input = nil
        // Any text: it is no word of the program's.
        case .string(let text): input = text
        default: return nil
        }
        let place = value("output")
        guard let output = place == nil ? .log : text(place).flatMap(ProgramOutput.init) else {
            return nil
        }
        self.output = output
        self.arguments = arguments.compactMap(\.self)
        self.directory = directory
        environment = variables
    }
}
