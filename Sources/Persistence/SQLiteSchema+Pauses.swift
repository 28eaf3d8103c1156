// SPDX-License-Identifier: Apache-2.0

/// Version 4: pauses are kept as they are measured.
///
/// A request that waits for a span has, besides its date, what that was computed from, so that a clock
/// that is set changes nothing about it. Null but for such requests.
extension SQLiteSchema {
    /// From version 3.
    static let pauses = """
        ALTER TABLE request ADD COLUMN pause_boot TEXT;
        ALTER TABLE request ADD COLUMN pause_begun INTEGER;
        ALTER TABLE request ADD COLUMN pause_length INTEGER;
        """
}
