// SPDX-License-Identifier: Apache-2.0

/// The tables, and how older ones become those of today.
enum SQLiteSchema {
    /// "Crfw": in the header of each database of ours, so that no other is taken for one.
    static let application: Int64 = 0x4372_6677

    /// What a database with that many of them done still lacks: each is one transaction, and none is
    /// changed once it was released.
    static let migrations = [first, second, third, pauses]
    /// Of a store that is new. A commit writes whole pages, of which most are changed in few bytes.
    static let pageSize = 2_048
    static var version: Int { migrations.count }

    /// What SQLite does not see of a store of a version: queries whose rows say what is wrong with rows
    /// by themselves…
    static func rowChecks(version: Int) -> [String] { version < 2 ? [] : secondRowChecks }

    /// …and with what they say of each other.
    static func checks(version: Int) -> [String] {
        switch version {
        case ...1: firstChecks
        case 2: secondChecks
        default: thirdChecks
        }
    }
}
