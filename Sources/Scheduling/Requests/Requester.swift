// SPDX-License-Identifier: Apache-2.0

/// A user, other than that of the store, who calls a host over its socket.
package struct Requester: Hashable, Sendable {
    /// The number of the user, to whom the requests belong that are submitted.
    package let user: UInt32
    /// The process that has opened the connection; for people only, since it may have ended.
    package let process: Int32

    package init(user: UInt32, process: Int32) {
        self.user = user
        self.process = process
    }

    /// For the journal: "by user 1000 (process 4711)".
    package var text: String { "by user \(user) (process \(process))" }
}
