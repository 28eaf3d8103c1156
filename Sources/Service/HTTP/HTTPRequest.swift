// SPDX-License-Identifier: Apache-2.0

/// A request that has been read whole.
package struct HTTPRequest: Sendable {
    package let method: String
    package let target: HTTPTarget
    package let head: HTTPHead
    package let body: [UInt8]
    package internal(set) var peer: HTTPPeer
}
