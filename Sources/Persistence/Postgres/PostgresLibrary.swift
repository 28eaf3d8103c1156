// SPDX-License-Identifier: Apache-2.0
internal import CPostgres
internal import Scheduling

/// libpq, which is opened when a store is first named by a URL.
enum PostgresLibrary {
    /// Why it cannot be used; nil if it can.
    static let fault: StoreFault? = {
        guard let reason = cpg_open() else { return nil }
        return StoreFault(
            .denied,
            "a store on a server of PostgreSQL needs libpq 14 or later, which cannot be loaded (\(String(cString: reason))); type `apt-get install libpq5`"
        )
    }()
}
