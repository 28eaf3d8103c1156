// SPDX-License-Identifier: Apache-2.0
import CSystem

/// The process that has opened a connection, as the kernel says: SO_PEERCRED and SO_PEERGROUPS in unix(7). A
/// descriptor that was passed on keeps its opener's rights.
package struct HTTPPeer: Hashable, Sendable {
    package let user: UInt32
    package let group: UInt32
    /// Its supplementary groups.
    package let groups: [UInt32]
    /// For people only: the process may be gone, and its number another one's.
    package let process: Int32

    /// One that nobody knows, and who may do nothing.
    static let nobody = HTTPPeer(user: .max, group: .max, process: 0)

    package init(user: UInt32, group: UInt32, groups: [UInt32] = [], process: Int32) {
        self.groups = groups
        self.user = user
        self.group = group
        self.process = process
    }

    /// Fails if the socket has no peer.
    init?(_ socket: Int32) {
        var (user, group, process) = (UInt32(0), UInt32(0), Int32(0))
        guard csys_socket_peer(socket, &user, &group, &process) else { return nil }
        var groups = [UInt32](repeating: 0, count: 64)
        let count = csys_socket_peer_groups(socket, &groups, 64)
        if count > groups.count {
            groups = [UInt32](repeating: 0, count: Int(count))
            guard csys_socket_peer_groups(socket, &groups, count) == count else { return nil }
        }
        self.init(
            user: user, group: group, groups: Array(groups.prefix(Int(count))), process: process)
    }
}
