// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

extension ControlSettings {
    private static let keys = ["socket", "mode", "roles", "submitRate"]

    /// Reads the member `control` of a file, and notes its faults. What an earlier file said stays where this one
    /// says nothing; a role is replaced as a whole.
    mutating func read(_ value: JSONValue, _ faults: ConfigurationObject.Faults) {
        guard let object = ConfigurationObject(value, "`control`", keys: Self.keys, faults) else {
            return
        }
        if let path = object.text("socket", example: "\"/run/curfew/control.sock\"") {
            if path.begins(with: "/"), path.utf8.last != UInt8(ascii: "/") {
                socket = path
            } else {
                faults.note(
                    .value, at: object["socket"]!,
                    "`socket` is not the absolute path of a file",
                    help: "write one such as /run/curfew/control.sock")
            }
        }
        if let text = object.text("mode", example: "\"0660\"") {
            // UInt32 would read "+660" as well.
            if text.utf8.count == 4, text.utf8.first == UInt8(ascii: "0"),
                let mode = UInt32(text, radix: 8), mode & ~0o666 == 0
            {
                self.mode = mode
            } else {
                faults.note(
                    .value, at: object["mode"]!,
                    "`mode` is `\(ConfigurationObject.shown(text))`, which no socket can have",
                    help: "write four octal digits: \"0660\", or \"0666\" for all users")
            }
        }
        if let rate = object.integer("submitRate", 1...1_000_000) { submitRate = Int(rate) }
        guard let roles = object["roles"] else { return }
        guard
            let roles = ConfigurationObject(
                roles, "`roles`", keys: Role.allCases.map(\.rawValue), faults)
        else { return }
        for role in Role.allCases {
            guard let value = roles[role.rawValue],
                let members = Self.members(of: role, value, faults)
            else { continue }
            self.roles[role] = members
        }
    }

    private static func members(
        of role: Role, _ value: JSONValue, _ faults: ConfigurationObject.Faults
    ) -> Members? {
        let keys = ["users", "groups"] + (role == .submit ? ["identifiers"] : [])
        guard
            let object = ConfigurationObject(
                value, "the role `\(role.rawValue)`", keys: keys, faults)
        else { return nil }
        var members = Members()
        members.users = object.names("users", example: "[\"alice\", 1001]") ?? []
        members.groups = object.names("groups", example: "[\"curfew\"]") ?? []
        for (value, pattern) in object.texts("identifiers", example: "[\"org.example.*\"]") ?? [] {
            guard AccessRules.isPattern(pattern) else {
                faults.note(
                    .value, at: value,
                    "`\(ConfigurationObject.shown(pattern))` is no identifier, and no beginning of one with `.*`",
                    help: "write org.example.tidy, org.example.*, or *")
                continue
            }
            members.identifiers.append(pattern)
        }
        if role == .submit, object["identifiers"] == nil {
            faults.note(
                .missingKey, at: value, "the role `submit` has no `identifiers`",
                help: "write those that may be submitted: [\"org.example.*\"], or [\"*\"]")
        }
        return members
    }
}
