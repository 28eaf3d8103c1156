// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// Reads one schedule of a configuration.
struct ScheduleReader {
    typealias PayloadFile = (_ path: String) -> Result<
        [UInt8], ServiceConfiguration.PayloadFault
    >

    private let faults: ConfigurationObject.Faults
    private let payloadFile: PayloadFile
    private let isZone: @Sendable (String) -> Bool

    /// - Parameter isZone: whether the machine has a time zone of a name.
    init(
        _ faults: ConfigurationObject.Faults, isZone: @escaping @Sendable (String) -> Bool,
        _ payloadFile: @escaping PayloadFile
    ) {
        self.faults = faults
        self.isZone = isZone
        self.payloadFile = payloadFile
    }

    static let keys = [
        "name", "command", "identifier", "every", "cron", "zone", "payload", "payloadFile",
        "directory", "environment", "output", "kind", "budget", "grace", "needs", "priority",
        "catchUp",
        "jitter", "retry", "enabled",
    ]
    private static let retryKeys = ["attempts", "base", "longest", "jitter"]
    /// Keys that say how a program is run, and mean nothing for a handler.
    private static let commandKeys = ["directory", "environment", "output", "budget", "grace"]
    private static let spans = Repetition.intervalRange
    /// execve(2): Linux passes on 32 pages for each word, with its NUL.
    private static let wordLimit = 32 * 4_096 - 1

    /// The time zone of a cron expression.
    private enum Zone: Equatable {
        case machine, utc
        case named(String)
    }

    /// Returns nil if something is wrong, which is noted.
    func read(_ value: JSONValue) -> Schedule? {
        guard let object = ConfigurationObject(value, "a schedule", keys: Self.keys, faults) else {
            return nil
        }
        let before = faults.all.count
        let name = name(object)
        let repetition = repetition(object)
        let (identifier, bytes) = launched(object, name)
        var description = RequestDescription(identifier ?? "", kind: .processing)
        let kinds = TaskKind.allCases.map { (name: $0.name, word: $0) }
        description.kind = object.word("kind", kinds) ?? .processing
        let needs: [(name: String, word: RequestNeeds)] = [
            ("network", .network), ("external-power", .externalPower),
        ]
        description.needs = RequestNeeds(object.words("needs", needs) ?? [])
        let priorities = RequestPriority.allCases.map { (name: $0.name, word: $0) }
        description.priority = object.word("priority", priorities) ?? .normal
        description.retry = retry(object)
        description.repetition = repetition
        let isEnabled = object.flag("enabled") ?? true
        guard let name, let bytes, identifier != nil, repetition != nil,
            faults.all.count == before
        else { return nil }
        if let fault = description.fault {
            faults.note(.schedule, at: value, fault, help: "change the schedule `\(name)`")
            return nil
        }
        do throws(BridgeError) {
            return Schedule(
                name: name, description: description, payload: bytes, isEnabled: isEnabled,
                digest: try Self.digest(description, bytes, isEnabled), source: faults.source.file)
        } catch {
            faults.note(
                .schedule, at: value, "it cannot be told from others: \(error.message)",
                help: "install libcrypto")
            return nil
        }
    }

    private func name(_ object: ConfigurationObject) -> String? {
        guard object.has("name") else {
            object.missing("name", help: "write \"name\": \"nightly-backup\"")
            return nil
        }
        guard let name = object.text("name", example: "\"nightly-backup\"") else { return nil }
        guard Schedule.isName(name) else {
            faults.note(
                .value, at: object["name"]!,
                "`\(ConfigurationObject.shown(name))` cannot be the name of a schedule",
                help: "write up to 64 of a-z, 0-9 and -, and begin with a letter or a digit")
            return nil
        }
        return name
    }

    // MARK: When

    private func repetition(_ object: ConfigurationObject) -> Repetition? {
        guard object.has("every") != object.has("cron") else {
            if object.has("every") {
                faults.note(
                    .schedule, at: object["cron"]!, "a schedule has `every` or `cron`, not both",
                    help: "remove one of them")
            } else {
                object.missing(
                    "every", help: "write \"every\": \"15min\", or \"cron\": \"0 3 * * *\"")
            }
            return nil
        }
        let zone = zone(object)
        if let value = object["zone"], object.has("every") {
            faults.note(
                .schedule, at: value, "`zone` is about `cron`, and this schedule has `every`",
                help: "remove it")
        }
        let rule: Repetition.Rule
        if object.has("every") {
            guard let interval = object.span("every", Self.spans, example: "15min") else {
                return nil
            }
            rule = .every(interval)
        } else {
            guard let text = object.text("cron", example: "\"0 3 * * *\"") else { return nil }
            do throws(CronFault) {
                var words = text.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
                let isNamed = words.begins(with: "CRON_TZ=")
                if case .named(let name) = zone, !isNamed {
                    words = CronSchedule.text(words, inZone: name)
                }
                let schedule = try CronSchedule(words)
                if isNamed, let value = object["zone"], zone != nil {
                    faults.note(
                        .schedule, at: value, "the expression of `cron` names a zone as well",
                        help: "remove one of them")
                }
                if let name = schedule.zone, zone == nil, !isZone(name) {
                    noteMissing(name, at: object["cron"]!)
                    return nil
                }
                rule = .cron(schedule, isLocal: zone == nil || zone == .machine)
            } catch {
                let what = error.field.map { "the \($0.rawValue)" } ?? "the expression"
                faults.note(
                    .schedule, at: object["cron"]!, "`cron`: \(what): \(error.message)",
                    help: error.help)
                return nil
            }
        }
        let catchUps: [(name: String, word: Repetition.CatchUp)] = [
            ("once", .one), ("skip", .skip), ("all", .all),
        ]
        return Repetition(
            rule, catchUp: object.word("catchUp", catchUps) ?? .one,
            jitter: object.span("jitter", 0...Self.spans.upperBound, example: "5min") ?? 0)
    }

    private func zone(_ object: ConfigurationObject) -> Zone? {
        guard let name = object.text("zone", example: "\"Europe/Berlin\"") else { return nil }
        switch name {
        case "UTC": return .utc
        case "local": return .machine
        default:
            guard CronSchedule.isZoneName(name), isZone(name) else {
                noteMissing(name, at: object["zone"]!)
                return nil
            }
            return .named(name)
        }
    }

    private func noteMissing(_ zone: String, at value: JSONValue) {
        faults.note(
            .value, at: value,
            "there is no time zone `\(ConfigurationObject.shown(zone))` on this machine",
            help:
                "write UTC, local, or one of the names of `timedatectl list-timezones`; where there are none, install tzdata"
        )
    }

    private func retry(_ object: ConfigurationObject) -> RetryPolicy {
        guard let value = object["retry"],
            let retry = ConfigurationObject(value, "`retry`", keys: Self.retryKeys, faults)
        else { return .none }
        guard retry.has("attempts") else {
            retry.missing("attempts", help: "write \"retry\": { \"attempts\": 3 }")
            return .none
        }
        let range = RetryPolicy.attemptsRange
        let bounds = Int64(range.lowerBound)...Int64(range.upperBound)
        guard let attempts = retry.integer("attempts", bounds) else { return .none }
        var policy = RetryPolicy(attempts: UInt32(attempts))
        if let base = retry.span("base", RetryPolicy.pauseRange, example: "30s") {
            policy.base = base
        }
        if let longest = retry.span("longest", RetryPolicy.pauseRange, example: "6h") {
            policy.longest = longest
        }
        if let jitter = retry.share("jitter") { policy.jitter = jitter }
        return attempts == 1 ? .none : policy
    }

    // MARK: What

    /// Returns the identifier of the handler, and the payload of its launches.
    private func launched(
        _ object: ConfigurationObject, _ name: String?
    ) -> (identifier: String?, payload: [UInt8]?) {
        guard object.has("command") != object.has("identifier") else {
            if object.has("command") {
                faults.note(
                    .schedule, at: object["identifier"]!,
                    "a schedule has `command` or `identifier`, not both",
                    help: "remove one of them")
            } else {
                object.missing(
                    "command",
                    help:
                        "write \"command\": [\"/usr/local/bin/backup\"], or \"identifier\": \"org.example.backup\""
                )
            }
            return (nil, nil)
        }
        guard let payload = payload(object) else { return (nil, nil) }
        if object.has("command") { return command(object, name, payload) }
        for key in Self.commandKeys {
            guard let value = object[key] else { continue }
            faults.note(
                .schedule, at: value,
                "`\(key)` is about a `command`, and this schedule has an `identifier`",
                help: "remove it: the handler's manifest says such things")
        }
        guard let identifier = object.text("identifier", example: "\"org.example.backup\"") else {
            return (nil, nil)
        }
        guard HandlerDescription.isIdentifier(identifier) else {
            faults.note(
                .value, at: object["identifier"]!,
                "`\(ConfigurationObject.shown(identifier))` is not an identifier",
                help: "write a reverse-DNS name such as org.example.backup")
            return (nil, nil)
        }
        guard identifier != CommandPayload.identifier else {
            faults.note(
                .value, at: object["identifier"]!, "the handler `\(identifier)` runs programs",
                help: "write the program as \"command\": [\"/usr/local/bin/backup\"]")
            return (nil, nil)
        }
        return (identifier, payload)
    }

    private func command(
        _ object: ConfigurationObject, _ name: String?, _ payload: [UInt8]
    ) -> (identifier: String?, payload: [UInt8]?) {
        let example = "[\"/usr/local/bin/backup\", \"--all\"]"
        guard let texts = object.texts("command", example: example) else { return (nil, nil) }
        let words = texts.map(\.text)
        guard let program = words.first, program.begins(with: "/") else {
            faults.note(
                .value, at: texts.first?.value ?? object["command"]!,
                words.isEmpty
                    ? "`command` is empty" : "the program of `command` is not an absolute path",
                help: "write \"command\": \(example); for a shell: [\"/bin/sh\", \"-c\", \"…\"]")
            return (nil, nil)
        }
        for (value, word) in texts where word.utf8.count > Self.wordLimit {
            faults.note(
                .value, at: value,
                "a word of `command` has \(word.utf8.count) bytes, and a program can get \(Self.wordLimit)",
                help: "let the program read it: \"payload\" is its standard input")
        }
        let directory = object.text("directory", example: "\"/srv\"") ?? "/"
        if !directory.begins(with: "/") {
            faults.note(
                .value, at: object["directory"]!, "`directory` is not an absolute path",
                help: "begin it with /")
        }
        var environment = object.variables("environment") ?? [:]
        if let name { environment["CURFEW_SCHEDULE"] = name }
        let budget = object.span("budget", Manifest.budgetRange, example: "10min")
        let grace = object.span("grace", Manifest.graceRange, example: "10s")
        guard let input = String(validating: payload, as: UTF8.self), !payload.contains(0) else {
            faults.note(
                .value, at: object["payloadFile"] ?? object.value,
                "the standard input of a command is text, and this payload is none",
                help: "let the program read the file itself")
            return (nil, nil)
        }
        let command = CommandPayload(
            arguments: words, directory: directory, environment: environment,
            budget: budget ?? 600_000_000_000, grace: grace ?? 10_000_000_000,
            input: input.isEmpty ? nil : input, output: output(object))
        let bytes = command.encoded
        guard bytes.count <= ServiceConfiguration.payloadLimit else {
            faults.note(
                .value, at: object.value,
                "the command with its input has \(bytes.count) bytes, and may have \(ServiceConfiguration.payloadLimit)",
                help: "let the program read the input from a file")
            return (nil, nil)
        }
        return (CommandPayload.identifier, bytes)
    }

    private func output(_ object: ConfigurationObject) -> ProgramOutput {
        guard let text = object.text("output", example: "\"/var/log/backup.log\"") else {
            return .log
        }
        guard let output = ProgramOutput(text) else {
            faults.note(
                .value, at: object["output"]!,
                "`output` is `\(ConfigurationObject.shown(text))`, which is no absolute path",
                help: "write log, discard, or a file such as /var/log/backup.log")
            return .log
        }
        return output
    }

    private func payload(_ object: ConfigurationObject) -> [UInt8]? {
        if let value = object["payloadFile"] {
            if object.has("payload") {
                faults.note(
                    .schedule, at: value, "a schedule has `payload` or `payloadFile`, not both",
                    help: "remove one of them")
                return nil
            }
            guard let path = object.text("payloadFile", example: "\"/etc/backup.conf\"") else {
                return nil
            }
            guard path.begins(with: "/") else {
                faults.note(
                    .value, at: value, "`payloadFile` is not an absolute path",
                    help: "begin it with /")
                return nil
            }
            switch payloadFile(path) {
            case .success(let bytes): return bytes
            case .failure(let fault):
                faults.note(
                    .value, at: value, "the payload cannot be read: \(fault.reason)",
                    help: "ls -l \(path)")
                return nil
            }
        }
        guard object.has("payload") else { return [] }
        guard let text = object.text("payload", example: "\"…\"") else { return nil }
        guard text.utf8.count <= ServiceConfiguration.payloadLimit else {
            faults.note(
                .value, at: object["payload"]!,
                "the payload has \(text.utf8.count) bytes, and may have \(ServiceConfiguration.payloadLimit)",
                help: "let the handler read it from a file")
            return nil
        }
        return Array(text.utf8)
    }

    // MARK: Comparing

    /// A digest of all that a schedule says, in a form in which order and defaults do not matter.
    private static func digest(
        _ description: RequestDescription, _ payload: [UInt8], _ isEnabled: Bool
    ) throws(BridgeError) -> String {
        var rule = "none"
        switch description.repetition?.rule {
        case .every(let interval): rule = "every \(interval)"
        case .cron(let schedule, let isLocal):
            rule = "cron \(isLocal ? "local" : "utc") \(schedule.text)"
        case nil: break
        }
        let retry = description.retry
        let lines = [
            "schedule 1", description.identifier, description.kind.name,
            "\(description.needs.rawValue)", "\(description.priority.rawValue)", rule,
            "\(description.repetition?.catchUp.rawValue ?? 0)",
            "\(description.repetition?.jitter ?? 0)",
            "\(retry.attempts) \(retry.base) \(retry.longest) \(retry.jitter.bitPattern)",
            "\(isEnabled)", "",
        ]
        let text = Array(lines.joined(separator: "\n").utf8) + payload
        return try text.withUnsafeBytes { text in
            Result { () throws(BridgeError) in try LibraryDigest.sha256(text) }
        }.get()
    }
}
