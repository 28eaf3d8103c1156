// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// The roles of users at the control socket. The user of the host and root have all rights.
package struct AccessRules: Sendable {
    private let own: UInt32
    private var members: [Role: (users: Set<UInt32>, groups: Set<UInt32>)] = [:]
    private var identifiers: [String] = []
    /// The users and groups of the configuration that this machine does not have, with their roles.
    package private(set) var unknown: [(role: Role, name: String)] = []

    /// - Parameters:
    ///   - own: the host's user.
    ///   - user: the number of a user by name; nil if there is none. `group` likewise.
    package init(
        _ settings: ControlSettings, own: UInt32, user: (String) -> UInt32?,
        group: (String) -> UInt32?
    ) {
        self.own = own
        for role in Role.allCases {
            guard let named = settings.roles[role] else { continue }
            func numbers(_ names: [String], _ find: (String) -> UInt32?) -> Set<UInt32> {
                Set(
                    names.compactMap { name in
                        // 4,294,967,295 is -1, which the kernel uses for "no user".
                        let number = find(name) ?? UInt32(name).flatMap { $0 == .max ? nil : $0 }
                        if number == nil { unknown.append((role, name)) }
                        return number
                    })
            }
            members[role] = (numbers(named.users, user), numbers(named.groups, group))
        }
        identifiers = settings.roles[.submit]?.identifiers ?? []
    }

    /// The rights of a process that has connected.
    package func rights(of peer: HTTPPeer) -> Rights {
        if peer.user == own || peer.user == 0 { return .all }
        let roles = Role.allCases.filter { role in
            guard let members = members[role] else { return false }
            return members.users.contains(peer.user)
                || !members.groups.isDisjoint(with: peer.groups)
                || members.groups.contains(peer.group)
        }
        return Rights(Set(roles), identifiers: identifiers)
    }

    /// Whether a text is an identifier, or a beginning of one with `.*` at its end, or `*` for all.
    static func isPattern(_ text: String) -> Bool {
        if text.utf8.elementsEqual("*".utf8) { return true }
        guard text.utf8.suffix(2).elementsEqual(".*".utf8) else {
            return HandlerDescription.isIdentifier(text)
        }
        let beginning = String(decoding: text.utf8.dropLast(1), as: UTF8.self)
        return HandlerDescription.isIdentifier(beginning + "x")
    }
}
