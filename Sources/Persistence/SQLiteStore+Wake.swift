// SPDX-License-Identifier: Apache-2.0

extension SQLiteStore {
    /// The file that is touched by whoever has written into a store, for its host to see.
    public static func wakeFile(of directory: String) -> String { directory + "/wake" }
}
