// SPDX-License-Identifier: Apache-2.0
package import PluginBridge
import Scheduling

extension ServiceConfiguration {
    /// Reads the files of a configuration, and notes all faults in all of them.
    ///
    /// A later file adds its schedules, and replaces what an earlier one says of the rest.
    ///
    /// - Parameters:
    ///   - sources: the names and texts of the files, in order.
    ///   - threshold: what is wrong with the name or the value of a threshold; nil if nothing is.
    ///   - isZone: whether the machine has a time zone of a name.
    ///   - payload: reads a file that is the payload of a schedule: at most `payloadLimit` bytes, or
    ///     the reason why there are none.
    package static func read(
        _ sources: [DiagnosticSource],
        threshold: ThresholdCheck = { _, _ in nil },
        isZone: @escaping @Sendable (_ name: String) -> Bool = { _ in false },
        payload: @escaping (_ path: String) -> Result<[UInt8], PayloadFault>
    ) -> (configuration: ServiceConfiguration, faults: [Diagnostic]) {
        var configuration = ServiceConfiguration()
        var faults: [Diagnostic] = []
        var places: [String: String] = [:]
        for source in sources {
            configuration.files.append(source.file)
            let (document, unreadable) = JSONReader.readAll(source)
            let noted = ConfigurationObject.Faults(source, unreadable)
            if let document {
                configuration.read(document, noted, &places, threshold, isZone, payload)
            }
            faults += noted.all.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        }
        let set = configuration.scheduleSet
        configuration.schedules = configuration.schedules.map { $0.inSet(set) }
        configuration.schedules.sort { $0.name < $1.name }
        return (configuration, faults)
    }

    package typealias ThresholdCheck =
        @Sendable (_ name: String, _ value: String) -> ThresholdFault?

    /// The fault of a threshold in a configuration. The texts are lower case, without full stop.
    package struct ThresholdFault: Error {
        package let message: String
        package let help: String
        /// There is no such threshold; else its value is wrong.
        package let isName: Bool

        package init(_ message: String, help: String, isName: Bool) {
            (self.message, self.help, self.isName) = (message, help, isName)
        }
    }

    /// Why the file of a payload cannot be read: lower case, no full stop.
    package struct PayloadFault: Error {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    /// The maximum number of bytes of the payload of a schedule.
    package static var payloadLimit: Int { RequestLimits().payloadBytes }

    private mutating func read(
        _ document: JSONValue, _ faults: ConfigurationObject.Faults,
        _ places: inout [String: String], _ threshold: ThresholdCheck,
        _ isZone: @escaping @Sendable (String) -> Bool,
        _ payload: @escaping (_ path: String) -> Result<[UInt8], PayloadFault>
    ) {
        guard
            let object = ConfigurationObject(document, "the configuration", keys: Self.keys, faults)
        else { return }
        if let store = object.text("store", example: "\"/srv/curfew/store\"") {
            if ["/", "postgresql://", "postgres://"].contains(where: { store.begins(with: $0) }) {
                self.store = store
            } else {
                faults.note(
                    .value, at: object["store"]!, "`store` is not an absolute path, or a URL",
                    help: "begin it with /, or with postgresql://")
            }
        }
        if let set = object.text("scheduleSet", example: "\"web\"") {
            if Schedule.isName(set) {
                scheduleSet = set
            } else {
                faults.note(
                    .value, at: object["scheduleSet"]!,
                    "`\(ConfigurationObject.shown(set))` cannot be the name of a set of schedules",
                    help: "write up to 64 of a-z, 0-9 and -, and begin with a letter or a digit")
            }
        }
        if let plugins = object["plugins"] { self.plugins.read(plugins, faults) }
        if let control = object["control"] { self.control.read(control, faults) }
        if let web = object["web"] { self.web.read(web, faults) }
        if let traces = object["traces"] {
            self.traces = TraceSettings(traces, faults) ?? self.traces
        }
        if let stop = object["stop"],
            let stop = ConfigurationObject(stop, "`stop`", keys: ["grace"], faults),
            let grace = stop.span("grace", 0...3_600_000_000_000, example: "20s")
        {
            stopGrace = grace
        }
        if let factors = object["factors"] { readFactors(factors, faults) }
        if let apps = object["apps"],
            let apps = ConfigurationObject(apps, "`apps`", keys: Self.appKeys, faults)
        {
            if let isOn = apps.flag("enabled") { startsApps = isOn }
            if let count = apps.integer("atATime", 1...1_000) { appsAtATime = Int(count) }
        }
        if let log = object["log"] { self.log.read(log, faults) }
        if let thresholds = object["thresholds"] {
            readThresholds(thresholds, faults, threshold)
        }
        guard let list = object["schedules"] else { return }
        guard case .array(let elements) = list.kind else {
            if list.kind != .unreadable {
                faults.note(
                    .type, at: list, "`schedules` must be a list, not \(list.noun)",
                    help:
                        "write \"schedules\": [ { \"name\": \"nightly\", \"command\": [\"/usr/local/bin/backup\"], \"cron\": \"0 3 * * *\" } ]"
                )
            }
            return
        }
        for element in elements {
            guard
                let schedule = ScheduleReader(faults, isZone: isZone, payload)
                    .read(element)
            else { continue }
            if let place = places[schedule.name] {
                let at = Self.name(of: element) ?? element
                faults.note(
                    .duplicate, at: at,
                    "there is another schedule `\(schedule.name)`, in \(place)",
                    help: "give each schedule a name of its own")
                continue
            }
            places[schedule.name] = "\(faults.source.file), line \(element.position.line)"
            guard schedules.count < Schedule.limit else {
                faults.note(
                    .schedule, at: element, "there are more than \(Schedule.limit) schedules",
                    help: "leave some out")
                return
            }
            schedules.append(schedule)
        }
    }

    private static func name(of element: JSONValue) -> JSONValue? {
        guard case .object(let members) = element.kind else { return nil }
        return members.first { $0.key == "name" }?.value
    }

    private mutating func readThresholds(
        _ value: JSONValue, _ faults: ConfigurationObject.Faults, _ check: ThresholdCheck
    ) {
        let example = "write \"thresholds\": { \"place-limit\": 4, \"history\": \"30d\" }"
        guard case .object(let members) = value.kind else {
            if value.kind != .unreadable {
                faults.note(
                    .type, at: value, "`thresholds` must be an object, not \(value.noun)",
                    help: example)
            }
            return
        }
        for member in members {
            let text: String
            switch member.value.kind {
            case .string(let value): text = value
            case .number(let number): text = number.literal
            case .unreadable: continue
            default:
                faults.note(
                    .type, at: member.value,
                    "a threshold must be text or a number, not \(member.value.noun)",
                    help: example)
                continue
            }
            guard let fault = check(member.key, text) else {
                thresholds[member.key] = text
                continue
            }
            if fault.isName {
                faults.note(
                    .unknownKey, at: member.keyPosition, width: member.keyWidth, fault.message,
                    help: fault.help)
            } else {
                faults.note(.value, at: member.value, fault.message, help: fault.help)
            }
        }
    }

    private mutating func readFactors(_ value: JSONValue, _ faults: ConfigurationObject.Faults) {
        guard
            let object = ConfigurationObject(value, "`factors`", keys: Self.factorKeys, faults)
        else { return }
        let origins = FactorOrigin.allCases.map { (name: $0.rawValue, word: $0) }
        if let source = object.word("source", origins) { factorSource = source }
    }
}
