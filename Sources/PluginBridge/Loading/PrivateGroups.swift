// SPDX-License-Identifier: Apache-2.0

/// The groups of this machine that have one user in them at most, from its own two files.
///
/// Only `/etc/group` and `/etc/passwd` are asked: a look-up through the C library could load modules
/// into the process and wait for a network. A group that is not there counts as one with others.
struct PrivateGroups: Sendable {
    /// How many bytes of either file are read; of a longer one nothing is believed.
    static var sizeLimit: Int { 1 << 20 }

    private struct User {
        let name: Substring
        let number: UInt32
        let group: UInt32
    }

    private let members: [UInt32: [Substring]]
    private let users: [User]

    init(group: String, passwd: String) {
        var members: [UInt32: [Substring]] = [:]
        for line in group.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 4, let number = UInt32(fields[2]) else { continue }
            members[number, default: []] += fields[3].split(separator: ",")
        }
        self.members = members
        users = passwd.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 7, let number = UInt32(fields[2]), let group = UInt32(fields[3])
            else { return nil }
            return User(name: fields[0], number: number, group: group)
        }
    }

    /// Whether nobody but the owner can be in the group.
    func isPrivate(_ group: UInt32, to owner: UInt32) -> Bool {
        guard let listed = members[group] else { return false }
        let names = users.filter { $0.number == owner }.map(\.name)
        return listed.allSatisfy(names.contains)
            && users.allSatisfy { $0.group != group || $0.number == owner }
    }
}
