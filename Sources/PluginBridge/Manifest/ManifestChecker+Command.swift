// SPDX-License-Identifier: Apache-2.0

extension ManifestChecker {
    /// Reads `command`, which a handler has if and only if its form is `command`.
    mutating func command(
        _ fields: ManifestFields, form: ManifestForm?, of handler: JSONValue
    ) -> ManifestCommand? {
        guard let value = fields[ManifestKey.command.name] else {
            if form == .command {
                fault(
                    .command, at: fields[ManifestKey.form.name] ?? handler,
                    "a handler of form `command` must have the key `command`",
                    help: "add \(ManifestKey.command.usage)")
            }
            return nil
        }
        if let form, form != .command {
            fault(
                .command, at: value,
                "a handler of form `\(form.rawValue)` runs no program by itself",
                help: "write \"form\": \"command\", or remove `command`")
        }
        return command(value)
    }

    private mutating func command(_ value: JSONValue) -> ManifestCommand? {
        guard let fields = fields(of: .command, in: value) else { return nil }
        let words = fields[ManifestKey.argv.name].flatMap { self.words($0) }
        let input = fields[ManifestKey.input.name].map {
            word($0, key: .input, rule: .command, among: ["payload", "nothing"])
        }
        let environment = fields[ManifestKey.environment.name].map { self.environment($0) }
        let directory = fields[ManifestKey.directory.name].map { self.directory($0) }
        let success = fields[ManifestKey.success.name].map { exitCodes($0, key: .success) }
        let retry = fields[ManifestKey.retry.name].map { exitCodes($0, key: .retry) }
        let progress = fields[ManifestKey.progress.name].map { prefix($0, key: .progress) }
        let result = fields[ManifestKey.resultLines.name].map { prefix($0, key: .resultLines) }
        guard let words, input ?? "" != nil, environment ?? [:] != nil, directory ?? "" != nil,
            let success = success ?? [0], let retry = retry ?? [ManifestCommand.temporaryFailure],
            let progress = progress ?? ManifestCommand.defaultProgressPrefix,
            let result = result ?? ManifestCommand.defaultResultPrefix
        else { return nil }
        if let both = success.intersection(retry).min(),
            let place = fields[ManifestKey.retry.name] ?? fields[ManifestKey.success.name]
        {
            fault(
                .command, at: place, "the exit code \(both) means both success and another try",
                help: "keep it in one of `success` and `retry`")
            return nil
        }
        let isTaken = words.contains(.payload) || words.contains(.payloadFile)
        return ManifestCommand(
            words: words, readsPayload: (input ?? nil).map { $0 == "payload" } ?? !isTaken,
            environment: (environment ?? nil) ?? [:], directory: directory ?? nil,
            success: success, retry: retry, progressPrefix: progress, resultPrefix: result)
    }

    private mutating func words(_ value: JSONValue) -> [ManifestCommand.Word]? {
        guard let elements = array(value, key: .argv) else { return nil }
        guard (1...Manifest.wordLimit).contains(elements.count) else {
            fault(
                .command, at: value,
                "`argv` has \(elements.count) elements, expected 1 to \(Manifest.wordLimit)",
                help: "write the program and its arguments, as \(ManifestKey.argv.example)")
            return nil
        }
        let words = elements.enumerated().map { self.word($1, isProgram: $0 == 0) }
        return words.contains(nil) ? nil : words.compactMap(\.self)
    }

    private mutating func word(_ value: JSONValue, isProgram: Bool) -> ManifestCommand.Word? {
        if case .object = value.kind, !isProgram {
            guard let fields = fields(of: .commandWord, in: value),
                let source = fields[ManifestKey.source.name]
            else { return nil }
            return word(
                source, key: .source, rule: .command, among: ["payload", "payload-file"]
            ).map { $0 == "payload" ? .payload : .payloadFile }
        }
        guard let text = commandText(value, key: .argv) else { return nil }
        guard !isProgram || !text.isEmpty else {
            fault(
                .command, at: value, "the name of the program is empty",
                help: "write a path, or a name that is looked for in PATH")
            return nil
        }
        return .text(text)
    }

    /// Reads a text that a C string can carry.
    private mutating func commandText(_ value: JSONValue, key: ManifestKey) -> String? {
        guard let text = text(value, key: key) else { return nil }
        guard !text.utf8.contains(0) else {
            fault(
                .command, at: value, "there is a zero byte in the text, where C ends",
                help: "remove it")
            return nil
        }
        return text
    }

    private mutating func environment(_ value: JSONValue) -> [String: String]? {
        guard let members = members(value, key: .environment) else { return nil }
        var variables: [String: String] = [:]
        var isSound = true
        for member in members {
            let name = member.key
            if name.isEmpty || name.utf8.contains(UInt8(ascii: "=")) || name.utf8.contains(0) {
                fault(
                    .command, at: member.keyPosition, width: member.keyWidth,
                    "\(DiagnosticText.quoted(name)) is not the name of a variable",
                    help: "write a name without = as \"LANG\"")
                isSound = false
            }
            variables[name] = commandText(member.value, key: .environment)
            if variables[name] == nil { isSound = false }
        }
        return isSound ? variables : nil
    }

    private mutating func directory(_ value: JSONValue) -> String? {
        guard let text = commandText(value, key: .directory) else { return nil }
        guard text.utf8.first == UInt8(ascii: "/") else {
            fault(
                .command, at: value, "\(DiagnosticText.quoted(text)) is not an absolute path",
                help: "write one as \(ManifestKey.directory.example); without the key it is the"
                    + " plugin's directory")
            return nil
        }
        return text
    }

    private mutating func exitCodes(_ value: JSONValue, key: ManifestKey) -> Set<Int32>? {
        guard let elements = array(value, key: key) else { return nil }
        let codes = elements.map { exitCode($0, key: key) }
        return codes.contains(nil) ? nil : Set(codes.compactMap(\.self))
    }

    private mutating func exitCode(_ value: JSONValue, key: ManifestKey) -> Int32? {
        guard let number = integer(value, key: key) else { return nil }
        guard (0...255).contains(number) else {
            fault(
                .command, at: value, "\(Self.literal(value)) is not an exit code",
                help: "write numbers from 0 to 255, as \(key.example)")
            return nil
        }
        return Int32(number)
    }

    private mutating func prefix(_ value: JSONValue, key: ManifestKey) -> String? {
        guard let text = commandText(value, key: key) else { return nil }
        guard !text.isEmpty, !text.utf8.contains(UInt8(ascii: "\n")) else {
            fault(
                .command, at: value, "`\(key.name)` must be the beginning of a line",
                help: "write a text without a line feed, as \(key.example)")
            return nil
        }
        return text
    }
}
