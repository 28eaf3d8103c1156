// SPDX-License-Identifier: Apache-2.0
import Glibc
import Scheduling

/// The users who are or were logged in since the machine was started, from utmp(5).
struct LoginRecords {
    /// The user who is logged in, or whose terminal is left.
    let user: String?

    /// A record of this machine's C library.
    private static let size = MemoryLayout<utmpx>.stride

    /// Fails if the system keeps no records.
    init?(path: String) throws(FileFault) {
        let bytes: [UInt8]
        do {
            bytes = try TextFile(path, limit: TextFile.table).beginning().bytes
        } catch {
            if error.isMissing { return nil }
            throw error
        }
        // The first record says when the machine was started.
        guard bytes.count >= Self.size else { return nil }
        user =
            stride(from: 0, through: bytes.count - Self.size, by: Self.size).lazy
            .compactMap { Self.user(of: bytes[$0..<$0 + Self.size]) }.first
    }

    private static func user(of bytes: ArraySlice<UInt8>) -> String? {
        let record = bytes.withUnsafeBytes { $0.loadUnaligned(as: utmpx.self) }
        let user = withUnsafeBytes(of: record.ut_user) { text($0) }
        let line = withUnsafeBytes(of: record.ut_line) { text($0) }
        switch Int32(record.ut_type) {
        case Int32(USER_PROCESS):
            return user.isEmpty ? nil : user
        case Int32(DEAD_PROCESS):
            // A console's may be that of a login that never happened.
            return line.begins(with: "pts/") ? "a user, on \(line)," : nil
        default:
            return nil
        }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        Shown.text(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self), longest: 32)
    }
}
