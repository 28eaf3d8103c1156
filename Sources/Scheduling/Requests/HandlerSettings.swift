// SPDX-License-Identifier: Apache-2.0

/// What people have set about launches. Of what is said for all, for a plugin and for an identifier
/// the strictest counts.
public struct HandlerSettings: Hashable, Sendable {
    /// What is not as by default.
    public private(set) var settings: [HandlerScope: HandlerSetting] = [:]

    /// Nothing is set.
    public init() {}

    /// Puts a setting in place of the one that was there.
    public mutating func set(_ setting: HandlerSetting, for scope: HandlerScope) {
        settings[scope] = setting == HandlerSetting() ? nil : setting
    }

    /// What counts for one handler.
    public func setting(of identifier: String, plugin: String) -> HandlerSetting {
        var result = settings[.all] ?? HandlerSetting()
        if let setting = settings[.plugin(plugin)] { result = result.and(setting) }
        if let setting = settings[.identifier(identifier)] { result = result.and(setting) }
        return result
    }

    // MARK: In a store

    /// A line each: scope, name, refresh, enablement.
    public var bytes: [UInt8] {
        var lines: [String] = []
        for (scope, setting) in settings {
            let words =
                switch scope {
                case .all: "all -"
                case .plugin(let id): "plugin \(id)"
                case .identifier(let identifier): "identifier \(identifier)"
                }
            lines.append("\(words) \(setting.refresh.name) \(setting.enablement.name)")
        }
        return Array(lines.sorted().joined(separator: "\n").utf8)
    }

    /// Reads what `bytes` wrote; nil where they are something else.
    public init?(bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 4,
                let refresh = HandlerSetting.Refresh.allCases.first(where: { $0.name == words[2] }),
                let enablement = HandlerSetting.Enablement.allCases.first(where: {
                    $0.name == words[3]
                })
            else { return nil }
            let setting = HandlerSetting(refresh: refresh, enablement: enablement)
            switch words[0] {
            case "all": set(setting, for: .all)
            case "plugin": set(setting, for: .plugin(words[1]))
            case "identifier": set(setting, for: .identifier(words[1]))
            default: return nil
            }
        }
    }
}
