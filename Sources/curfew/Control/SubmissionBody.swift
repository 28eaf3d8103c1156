// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Runner
import Scheduling
import Service

/// The JSON of `POST /v1/requests`: the options of `curfew submit` as members, and a payload or a program.
struct SubmissionBody {
    private static let programKeys = [
        "command", "directory", "environment", "input", "budget", "grace",
    ]
    /// The members, for messages.
    static let keys =
        ["identifier"] + SubmitForm.options.filter { isOption($0) }.map(SubmitValues.member)
        + ["payload", "payloadBase64"] + programKeys

    private static func isOption(_ option: CommandOption) -> Bool {
        option.name != SubmitForm.pendingLimit.name && option.name != RunRequest.payloadOption.name
    }

    /// The members that are no options.
    private static let own = Set(["identifier", "payload", "payloadBase64"] + programKeys)
    /// The options by their members.
    private static let options = Dictionary(
        uniqueKeysWithValues: SubmitForm.options.filter { isOption($0) }.map {
            (SubmitValues.member($0), $0)
        })

    private let members: [JSONMember]

    /// Reads the requests of a body: one object, or with `isBatch` those of `{"items": […]}`.
    static func drafts(
        _ body: [UInt8], isBatch: Bool, kinds: (String) -> TaskKind?
    ) throws(HTTPFault) -> [Result<RequestDraft, HTTPFault>] {
        let value = try value(of: body)
        guard isBatch else { return [.success(try SubmissionBody(value).draft(kinds))] }
        guard case .object(let members) = value.kind, members.count == 1, members[0].key == "items",
            case .array(let items) = members[0].value.kind
        else {
            throw HTTPFault(
                422, "refused", "the body has to be {\"items\": […]}, without other members")
        }
        guard (1...batchLimit).contains(items.count) else {
            throw HTTPFault(
                422, "refused", "a batch has from 1 to \(batchLimit) items, not \(items.count)")
        }
        return items.map { item in
            do throws(HTTPFault) {
                return .success(try SubmissionBody(item).draft(kinds))
            } catch {
                return .failure(error)
            }
        }
    }

    static let batchLimit = 256

    /// Reads the JSON of a body.
    static func value(of body: [UInt8]) throws(HTTPFault) -> JSONValue {
        if body.isEmpty { throw HTTPFault(400, "json", "the body is empty, and has to be JSON") }
        do throws(Diagnostic) {
            return try JSONReader.read(body, file: "the body")
        } catch {
            throw HTTPFault(
                400, "json",
                "the body is not JSON: line \(error.line), column \(error.column): \(error.message)"
            )
        }
    }

    private init(_ value: JSONValue) throws(HTTPFault) {
        guard case .object(let members) = value.kind else {
            throw Self.refused("a request has to be an object, not \(value.noun)")
        }
        for member in members
        where Self.options[member.key] == nil && !Self.own.contains(member.key) {
            let meant = Suggestion.nearest(to: member.key, among: Self.keys)
            throw Self.refused(
                "a request has no member `\(Self.shown(member.key))`",
                meant.map { "did you mean `\($0)`?" }
                    ?? "the members are \(Self.keys.joined(separator: ", "))")
        }
        self.members = members
    }

    private func value(_ key: String) -> JSONValue? {
        // They are few, and each key is there once.
        members.first { $0.key == key }?.value
    }

    /// A text of the client's, cut.
    private static func shown(_ text: String) -> String { Shown.fitted(Shown.line(text), 64) }

    private static func refused(_ message: String, _ help: String...) -> HTTPFault {
        HTTPFault(422, "refused", message, help: help)
    }

    /// - Parameter kinds: the kind of a handler that the host has.
    private func draft(_ kinds: (String) -> TaskKind?) throws(HTTPFault) -> RequestDraft {
        var given: [(option: String, value: String)] = []
        for member in members {
            guard let option = Self.options[member.key],
                let text = try option.text(member.value, member.key)
            else { continue }
            given.append((option.name, text))
        }
        let program = try program()
        let identifier = try text("identifier")
        guard (identifier != nil) != (program != nil) else {
            throw Self.refused("a request has either `identifier` or `command`")
        }
        let name = identifier ?? CommandPayload.identifier
        guard HandlerDescription.isIdentifier(name) else {
            throw Self.refused(
                "`\(Self.shown(name))` is not an identifier",
                "write a reverse-DNS name such as org.example.tidy")
        }
        let payload = try payload()
        if program != nil, payload != nil {
            throw Self.refused("a payload is for a handler; a program has `input`")
        }
        do throws(CommandError) {
            return RequestDraft(
                try SubmitForm.description(
                    name, kind: program == nil ? kinds(name) ?? .appRefresh : .processing,
                    at: csys_realtime_ns(), SubmitValues(given: given)),
                payload: program?.encoded ?? payload ?? [])
        } catch {
            throw HTTPFault(error)
        }
    }

    /// The bytes of the payload, as text or in Base64.
    private func payload() throws(HTTPFault) -> [UInt8]? {
        let text = try text("payload")
        guard let encoded = try self.text("payloadBase64") else {
            return text.map { Array($0.utf8) }
        }
        guard text == nil else {
            throw Self.refused("a request has either `payload` or `payloadBase64`")
        }
        guard let bytes = Base64.bytes(Array(encoded.utf8)) else {
            throw Self.refused(
                "`payloadBase64` is no Base64", "write it with padding, and without line breaks")
        }
        return bytes
    }

    private func text(_ key: String) throws(HTTPFault) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value.kind else {
            throw Self.refused("`\(key)` has to be text, not \(value.noun)")
        }
        return text
    }

    // MARK: What it does

    private func program() throws(HTTPFault) -> CommandPayload? {
        guard let command = value("command") else {
            if let key = Self.programKeys.first(where: { value($0) != nil }) {
                throw Self.refused("`\(key)` is for a program, and there is no `command`")
            }
            return nil
        }
        guard case .array(let values) = command.kind else {
            throw Self.refused("`command` has to be a list of words, not \(command.noun)")
        }
        var words: [String] = []
        for value in values {
            guard case .string(let word) = value.kind, !word.utf8.contains(0) else {
                throw Self.refused(
                    "a word of `command` is no text, or has a NUL")
            }
            words.append(word)
        }
        guard let first = words.first, first.begins(with: "/") else {
            throw Self.refused("the first word of `command` has to be an absolute path")
        }
        let directory = try text("directory") ?? "/"
        guard directory.begins(with: "/"), !directory.utf8.contains(0) else {
            throw Self.refused("`directory` has to be an absolute path without NUL")
        }
        return CommandPayload(
            arguments: words, directory: directory, environment: try environment(),
            budget: try duration("budget", Manifest.budgetRange),
            grace: try duration("grace", Manifest.graceRange), input: try text("input"))
    }

    private func environment() throws(HTTPFault) -> [String: String] {
        guard let value = value("environment") else { return [:] }
        guard case .object(let variables) = value.kind else {
            throw Self.refused("`environment` has to be an object, not \(value.noun)")
        }
        var result: [String: String] = [:]
        for variable in variables {
            guard case .string(let text) = variable.value.kind, !text.utf8.contains(0),
                !variable.key.isEmpty, !variable.key.utf8.contains(UInt8(ascii: "=")),
                !variable.key.utf8.contains(0)
            else {
                throw Self.refused(
                    "`\(Self.shown(variable.key))` of `environment` is no variable: its name has no `=`, its value"
                        + " is text, and neither has a NUL")
            }
            result[variable.key] = text
        }
        return result
    }

    private func duration(
        _ key: String, _ range: ClosedRange<UInt64>
    ) throws(HTTPFault) -> UInt64? {
        guard let text = try text(key) else { return nil }
        guard let nanoseconds = ManifestDuration.parse(text), range.contains(nanoseconds) else {
            throw Self.refused(
                "`\(Self.shown(text))` of `\(key)` is not a span from \(TimeText.limit(range.lowerBound)) to \(TimeText.limit(range.upperBound))",
                "write a number and one of ms, s, min, h")
        }
        return nanoseconds
    }
}

extension SubmissionBody {
    /// The JSON of a request, as `drafts` reads it.
    ///
    /// - Parameters:
    ///   - program: in place of the identifier.
    ///   - value: of an option; nil where it is not given.
    static func item(
        _ identifier: String, program: CommandPayload?, payload: [UInt8],
        _ value: (CommandOption) -> String?
    ) throws(CommandError) -> JSONItem {
        var members: [(key: String, value: JSONItem)] = []
        if let program {
            members += self.members(program)
        } else {
            members.append(("identifier", .text(identifier)))
            if let text = String(validating: payload, as: UTF8.self) {
                if !payload.isEmpty { members.append(("payload", .text(text))) }
            } else {
                members.append(("payloadBase64", .text(Base64.text(payload))))
            }
        }
        for option in SubmitForm.options where isOption(option) {
            guard let text = value(option) else { continue }
            members.append((SubmitValues.member(option), try option.item(text)))
        }
        return .object(members)
    }

    private static func members(_ program: CommandPayload) -> [(key: String, value: JSONItem)] {
        var members: [(key: String, value: JSONItem)] = [
            ("command", .list(program.arguments.map { .text($0) })),
            ("directory", .text(program.directory)),
            (
                "environment",
                .object(
                    program.environment.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) }
                )
            ),
        ]
        if let budget = program.budget {
            members.append(("budget", .text(CommandPayload.written(budget))))
        }
        if let grace = program.grace {
            members.append(("grace", .text(CommandPayload.written(grace))))
        }
        return members
    }
}

extension CommandOption {
    /// Returns its value on a command line as a member of an object has it.
    fileprivate func item(_ text: String) throws(CommandError) -> JSONItem {
        switch value {
        case nil: return .bool(true)
        case "N":
            guard let number = Int64(text) else {
                throw CommandError(
                    .usage, "`--\(name) \(text)` is no number", notes: ["nothing was submitted"])
            }
            return .integer(number)
        case "LIST": return .list(text.parts(at: ",").map { .text(String($0)) })
        default: return .text(text)
        }
    }

    /// Returns its value as a command line has it, of a member of an object.
    fileprivate func text(_ value: JSONValue, _ name: String) throws(HTTPFault) -> String? {
        switch value.kind {
        case .bool(let flag) where self.value == nil: return flag ? "" : nil
        case .string(let text) where self.value != nil: return text
        case .number(let number) where self.value == "N": return number.literal
        case .array(let values) where self.value == "LIST":
            var words: [String] = []
            for value in values {
                guard case .string(let word) = value.kind else {
                    throw HTTPFault(
                        422, "refused",
                        "item \(words.count + 1) of `\(name)` has to be text, not \(value.noun)")
                }
                words.append(word)
            }
            return words.isEmpty ? nil : words.joined(separator: ",")
        default: break
        }
        let noun =
            switch self.value {
            case nil: "true or false"
            case "N": "a number"
            case "LIST": "a list of texts"
            default: "text"
            }
        throw HTTPFault(422, "refused", "`\(name)` has to be \(noun), not \(value.noun)")
    }
}
