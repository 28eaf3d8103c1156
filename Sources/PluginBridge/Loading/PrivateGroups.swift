// SPDX-License-Identifier: Apache-2.0

/// The groups of this machine that have one user in them at most, from its own two files.
///
/// Only `/etc/group` and `/etc/passwd` are asked: a look-up through the C library could load modules
/// into the process and wait for a network. A group that is not there counts as one with others. The
/// files are read byte by byte, as the C library reads them: names and comments may be in any encoding,
/// and a text would have fewer fields where a comment begins with a combining mark.
struct PrivateGroups: Sendable {
    /// The maximum number of bytes of either file; a longer one is not trusted.
    static var sizeLimit: Int { 1 << 20 }

    private struct User {
        let name: ArraySlice<UInt8>
        let number: UInt32
        let group: UInt32
    }

    private let members: [UInt32: [ArraySlice<UInt8>]]
    private let users: [User]

    init(group: [UInt8], passwd: [UInt8]) {
        var members: [UInt32: [ArraySlice<UInt8>]] = [:]
        for fields in Self.lines(group) where fields.count == 4 {
            guard let number = Self.number(fields[2]) else { continue }
            members[number, default: []] += fields[3].split(separator: UInt8(ascii: ","))
        }
        self.members = members
        users = Self.lines(passwd).compactMap { fields in
            guard fields.count == 7, let number = Self.number(fields[2]),
                let group = Self.number(fields[3])
            else { return nil }
            return User(name: fields[0], number: number, group: group)
        }
    }

    /// Returns whether the owner is the only member of the group.
    func isPrivate(_ group: UInt32, to owner: UInt32) -> Bool {
        guard let listed = members[group] else { return false }
        let names = users.filter { $0.number == owner }.map(\.name)
        return listed.allSatisfy(names.contains)
            && users.allSatisfy { $0.group != group || $0.number == owner }
    }

    private static func lines(_ file: [UInt8]) -> [[ArraySlice<UInt8>]] {
        file.split(separator: UInt8(ascii: "\n")).map {
            $0.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        }
    }

    private static func number(_ field: ArraySlice<UInt8>) -> UInt32? {
        UInt32(String(decoding: field, as: UTF8.self))
    }
}
