// SPDX-License-Identifier: Apache-2.0

/// The settings that people have made about launches. The strictest of the settings for all
/// handlers, for the plugin and for the identifier applies.
package struct HandlerSettings: Hashable, Sendable {
    /// The settings that differ from the default.
    package private(set) var settings: [HandlerScope: HandlerSetting] = [:]
    /// The maximum number of scopes with a setting: a host reads all of them when it starts.
    package static let limit = 4_096

    /// Creates settings without restrictions.
    package init() {}

    /// Sets the setting of a scope, in place of the previous one.
    package mutating func set(_ setting: HandlerSetting, for scope: HandlerScope) {
        settings[scope] = setting == HandlerSetting() ? nil : setting
    }

    /// Returns the setting that applies to one handler.
    package func setting(of identifier: String, plugin: String) -> HandlerSetting {
        var result = settings[.all] ?? HandlerSetting()
        if let setting = settings[.plugin(plugin)] { result = result.and(setting) }
        if let setting = settings[.identifier(identifier)] { result = result.and(setting) }
        return result
    }

    // MARK: In a store

    private static let newline = UInt8(ascii: "\n")
    private static let blank = UInt8(ascii: " ")
    private static let escape = UInt8(ascii: "%")

    /// One line for each setting: scope, name, refresh, enablement, separated by blanks. Bytes of a
    /// name that could end a word or a line are written as `%` and two hexadecimal digits.
    package var bytes: [UInt8] {
        var lines: [String] = []
        for (scope, setting) in settings {
            let words =
                switch scope {
                case .all: "all -"
                case .plugin(let id): "plugin \(Self.quoted(id))"
                case .identifier(let identifier): "identifier \(Self.quoted(identifier))"
                }
            lines.append("\(words) \(setting.refresh.name) \(setting.enablement.name)")
        }
        return Array(lines.sorted().joined(separator: "\n").utf8)
    }

    /// Reads the form of `bytes`; returns nil if they are malformed.
    package init?(bytes: [UInt8]) {
        for line in bytes.split(separator: Self.newline) {
            // Earlier versions did not quote names, so a blank in one adds a word.
            let words = line.split(separator: Self.blank, omittingEmptySubsequences: false)
            guard words.count >= 4, let scope = Self.scope(words.dropLast(2)),
                settings[scope] == nil,
                let refresh = RefreshSetting.allCases.first(where: {
                    words[words.count - 2].elementsEqual($0.name.utf8)
                }),
                let enablement = HandlerEnablement.allCases.first(where: {
                    words[words.count - 1].elementsEqual($0.name.utf8)
                })
            else { return nil }
            set(HandlerSetting(refresh: refresh, enablement: enablement), for: scope)
        }
    }

    private static func scope(_ words: ArraySlice<ArraySlice<UInt8>>) -> HandlerScope? {
        guard let name = unquoted(words.dropFirst().joined(separator: [blank])) else { return nil }
        let first = words[words.startIndex]
        if first.elementsEqual("all".utf8) { return name == "-" ? .all : nil }
        if first.elementsEqual("plugin".utf8) { return .plugin(name) }
        return first.elementsEqual("identifier".utf8) ? .identifier(name) : nil
    }

    private static func quoted(_ name: String) -> String {
        var quoted: [UInt8] = []
        for byte in name.utf8 {
            if byte > blank, byte < 0x7F, byte != escape {
                quoted.append(byte)
            } else {
                let digits = Array("0123456789abcdef".utf8)
                quoted += [escape, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: quoted, as: UTF8.self)
    }

    /// Returns nil if the text was not written by `quoted`.
    private static func unquoted(_ bytes: some Sequence<UInt8>) -> String? {
        var name: [UInt8] = []
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            guard byte == escape else {
                name.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit)
            else { return nil }
            name.append(high << 4 | low)
        }
        return String(validating: name, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
