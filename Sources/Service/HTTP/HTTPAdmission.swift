// SPDX-License-Identifier: Apache-2.0

/// What a server does with a request before it hands it on.
package enum HTTPAdmission: Sendable {
    /// It comes from this user.
    case from(HTTPPeer)
    /// It is answered at once.
    case answered(HTTPAnswer)
}
