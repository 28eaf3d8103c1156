// SPDX-License-Identifier: Apache-2.0

extension SQLiteStore {
    /// Returns the file that a process touches after writing to the store, to notify its host.
    package static func wakeFile(of directory: String) -> String { directory + "/wake" }
}
