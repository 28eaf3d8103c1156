// SPDX-License-Identifier: Apache-2.0
package import CCurfew

/// Stands between a host and the entry of a plugin, and so between all calls of the two: the
/// conformance kit looks there at what passes.
package protocol EntryInterposer: AnyObject, Sendable {
    /// `curfew_plugin_entry`.
    typealias Entry =
        @convention(c) (
            UnsafePointer<curfew_host_api>, UnsafeMutablePointer<curfew_plugin_info>,
            UnsafeMutablePointer<curfew_error>
        ) -> curfew_status

    /// Calls the entry in place of the host, with its own table or the host's. Called on the
    /// loading thread.
    func enter(
        _ entry: Entry, _ api: UnsafePointer<curfew_host_api>,
        _ info: UnsafeMutablePointer<curfew_plugin_info>,
        _ error: UnsafeMutablePointer<curfew_error>
    ) -> curfew_status
}
