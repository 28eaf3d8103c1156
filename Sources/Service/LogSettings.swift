// SPDX-License-Identifier: Apache-2.0
package import CurfewValues
import PluginBridge

/// What a host prints, and how, in a configuration. Nil means the default.
package struct LogSettings: Hashable, Sendable {
    package enum Format: String, Sendable, CaseIterable {
        /// Entries of systemd's journal if the output leads there; else text.
        case auto
        case text, json
    }

    /// Lines below this level are left out. It counts as soon as it is read.
    package var level: LogLevel?
    /// It counts from the next start.
    package var format: Format?

    package init() {}

    private static let keys = ["level", "format"]

    /// Reads the member `log` of a file, and notes its faults. What an earlier file said stays where
    /// this one says nothing.
    mutating func read(_ value: JSONValue, _ faults: ConfigurationObject.Faults) {
        guard let object = ConfigurationObject(value, "`log`", keys: Self.keys, faults) else {
            return
        }
        let levels: [(name: String, word: LogLevel)] = [
            ("debug", .debug), ("info", .info), ("warning", .warning), ("error", .error),
        ]
        if let level = object.word("level", levels) { self.level = level }
        let formats = Format.allCases.map { (name: $0.rawValue, word: $0) }
        if let format = object.word("format", formats) { self.format = format }
    }
}
