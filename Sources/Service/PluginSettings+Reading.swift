// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling

extension PluginSettings {
    private static let keys = [
        "directories", "isolation", "confine", "trust", "start", "require", "idle", "limits",
        "overrides",
    ]
    fileprivate static let limitKeys = ["memory", "fileSize", "descriptors", "processes"]
    private static let overrideKeys = ["enabled", "isolation", "limits"]

    /// The features of the sandbox by their names.
    private static let features = (0..<Int32(csys_feature_count.rawValue)).map { feature in
        let name = String(cString: csys_feature_name(feature))
        return (name: name, word: name)
    }

    /// Nanoseconds: one second to 366 days.
    private static let idleRange: ClosedRange<UInt64> = 1_000_000_000...31_622_400_000_000_000

    /// Reads the member `plugins` of a file, and notes its faults. What an earlier file said stays where this one
    /// says nothing.
    mutating func read(_ value: JSONValue, _ faults: ConfigurationObject.Faults) {
        guard let object = ConfigurationObject(value, "`plugins`", keys: Self.keys, faults) else {
            return
        }
        if let directories = object.texts("directories", example: "[\"/usr/lib/curfew/plugins\"]") {
            for (value, path) in directories where !path.begins(with: "/") {
                faults.note(
                    .value, at: value, "a directory of plugins is not an absolute path",
                    help: "begin it with /")
            }
            self.directories = directories.map(\.text)
        }
        if let isolation = Self.isolation(object) { self.isolation = isolation }
        if let confines = object.flag("confine") { self.confines = confines }
        let policies = TrustPolicy.allCases.map { (name: $0.name, word: $0) }
        if let trust = object.word("trust", policies) { self.trust = trust }
        let starts = [(name: "fork", word: false), (name: "exec", word: true)]
        if let executes = object.word("start", starts) { self.executes = executes }
        if let required = object.words("require", Self.features) { self.required = required }
        if let idle = object.span("idle", Self.idleRange, example: "10min") { idleLimit = idle }
        if let limits = object["limits"] { self.limits.read(limits, faults) }
        if let overrides = object["overrides"] { readOverrides(overrides, faults) }
    }

    private static func isolation(_ object: ConfigurationObject) -> Isolation? {
        object.word("isolation", Isolation.allCases.map { (name: $0.name, word: $0) })
    }

    private mutating func readOverrides(_ value: JSONValue, _ faults: ConfigurationObject.Faults) {
        guard case .object(let members) = value.kind else {
            if value.kind != .unreadable {
                faults.note(
                    .type, at: value, "`overrides` must be an object, not \(value.noun)",
                    help: "write \"overrides\": { \"org.example.tidy\": { \"enabled\": false } }")
            }
            return
        }
        for member in members {
            let name = "the override of `\(ConfigurationObject.shown(member.key))`"
            guard
                let object = ConfigurationObject(
                    member.value, name, keys: Self.overrideKeys, faults)
            else { continue }
            if let isEnabled = object.flag("enabled") {
                overrides[member.key, default: Override()].isEnabled = isEnabled
            }
            if let isolation = Self.isolation(object) {
                overrides[member.key, default: Override()].isolation = isolation
            }
            if let limits = object["limits"] {
                overrides[member.key, default: Override()].limits.read(limits, faults)
            }
        }
    }
}

extension PluginSettings.Limits {
    fileprivate mutating func read(
        _ value: JSONValue, _ faults: ConfigurationObject.Faults
    ) {
        guard
            let object = ConfigurationObject(
                value, "`limits`", keys: PluginSettings.limitKeys, faults)
        else { return }
        if let bytes = object.size("memory") { memory = bytes }
        if let bytes = object.size("fileSize") { fileBytes = bytes }
        if let count = object.integer("descriptors", ManifestNeeds.descriptorRange) {
            descriptors = UInt64(count)
        }
        if let count = object.integer("processes", ManifestNeeds.processRange) {
            processes = UInt64(count)
        }
    }
}
