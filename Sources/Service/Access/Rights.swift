// SPDX-License-Identifier: Apache-2.0

/// What one user may do with a host over its socket.
package struct Rights: Sendable {
    private let roles: Set<Role>
    private let identifiers: [String]

    /// Those of the host's own user.
    package static let all = Rights([.admin], identifiers: [])

    package init(_ roles: Set<Role>, identifiers: [String]) {
        self.roles = roles
        self.identifiers = identifiers
    }

    /// None at all.
    package var isEmpty: Bool { roles.isEmpty }
    /// May do what the host's own user may.
    package var administers: Bool { roles.contains(.admin) }
    /// May change the requests of everybody.
    package var operates: Bool { administers || roles.contains(.operate) }
    /// May look at everything but payloads.
    package var reads: Bool { operates || roles.contains(.read) }
    /// May submit, and look at, cancel and retry own requests.
    package var submits: Bool { administers || roles.contains(.submit) }

    /// Whether requests for a handler may be submitted.
    package func submits(_ identifier: String) -> Bool {
        if administers { return true }
        guard submits else { return false }
        return identifiers.contains { pattern in
            guard pattern.utf8.last == UInt8(ascii: "*") else {
                return pattern.utf8.elementsEqual(identifier.utf8)
            }
            return identifier.utf8.starts(with: pattern.utf8.dropLast())
        }
    }

    /// The identifiers that may be submitted, for people.
    package var submittable: String { identifiers.joined(separator: ", ") }

    /// For people: "roles read, submit"; "no role".
    package var text: String {
        let names = Role.allCases.filter(roles.contains).map(\.rawValue)
        guard !names.isEmpty else { return "no role" }
        return (names.count == 1 ? "role " : "roles ") + names.joined(separator: ", ")
    }
}
