// SPDX-License-Identifier: Apache-2.0

/// Version 7: requests of other users than the store's own.
extension SQLiteSchema {
    /// From version 6. The number of the user; null for the store's own.
    static let owners = """
        ALTER TABLE request ADD COLUMN owner INTEGER;
        CREATE INDEX request_owner ON request (owner, state) WHERE owner IS NOT NULL;
        """

    static let ownerRowChecks = [
        """
        SELECT 'request ' || id || ' has an owner that is no user number' FROM request
            WHERE NOT coalesce(owner, 0) BETWEEN 0 AND 4294967295 LIMIT 100
        """
    ]
}
