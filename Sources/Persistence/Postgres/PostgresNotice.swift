// SPDX-License-Identifier: Apache-2.0

/// What hosts and clients of a store on a server tell one another, without a promise that it arrives.
enum PostgresNotice: String {
    /// Requests were changed.
    case requests = ""
    /// A host was drained, or is not any more.
    case hosts = "hosts"
}
