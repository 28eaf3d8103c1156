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
    ///   - payload: reads a file that is the payload of a schedule: at most `payloadLimit` bytes, or
    ///     the reason why there are none.
    package static func read(
        _ sources: [DiagnosticSource],
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
                configuration.read(document, noted, &places, payload)
            }
            faults += noted.all.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        }
        configuration.schedules.sort { $0.name < $1.name }
        return (configuration, faults)
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
        _ places: inout [String: String],
        _ payload: @escaping (_ path: String) -> Result<[UInt8], PayloadFault>
    ) {
        guard
            let object = ConfigurationObject(document, "the configuration", keys: Self.keys, faults)
        else { return }
        if let store = object.text("store", example: "\"/srv/curfew/store\"") {
            if store.begins(with: "/") {
                self.store = store
            } else {
                faults.note(
                    .value, at: object["store"]!, "`store` is not an absolute path",
                    help: "begin it with /")
            }
        }
        if let plugins = object["plugins"] { readPlugins(plugins, faults) }
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
            guard let schedule = ScheduleReader(faults, payload).read(element) else { continue }
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

    private mutating func readPlugins(_ value: JSONValue, _ faults: ConfigurationObject.Faults) {
        guard
            let object = ConfigurationObject(value, "`plugins`", keys: Self.pluginKeys, faults)
        else { return }
        if let directories = object.texts("directories", example: "[\"/usr/lib/curfew/plugins\"]") {
            for (value, path) in directories where !path.begins(with: "/") {
                faults.note(
                    .value, at: value, "a directory of plugins is not an absolute path",
                    help: "begin it with /")
            }
            pluginDirectories = directories.map(\.text)
        }
        let isolations = Isolation.allCases.map { (name: $0.name, word: $0) }
        if let isolation = object.word("isolation", isolations) { self.isolation = isolation }
        if let confines = object.flag("confine") { confinesPlugins = confines }
        let policies = TrustPolicy.allCases.map { (name: $0.name, word: $0) }
        if let trust = object.word("trust", policies) { self.trust = trust }
    }
}
