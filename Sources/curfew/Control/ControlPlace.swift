// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import Scheduling

/// Where the commands look for the control socket of a store's host.
///
/// A store in a directory has it there. That of a host whose store is on a server is where the machine has the sockets of
/// its user, under a name that tells the stores apart.
struct ControlPlace {
    let directory: String
    let name: String

    /// The name of the socket in the directory of a store.
    static let usualName = "control.sock"

    var path: String { directory + "/" + name }

    /// Nil if this user has no place for sockets.
    init?(_ place: StorePlace) {
        guard place.isOnServer else {
            (directory, name) = (place.directory, Self.usualName)
            return
        }
        if let runtime = Environment.value("XDG_RUNTIME_DIR"), runtime.begins(with: "/") {
            directory = runtime
        } else if geteuid() == 0 {
            directory = "/run"
        } else {
            return nil
        }
        // FNV-1a.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in ((try? StoreClient.key(place.name)) ?? place.directory).utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        name = "curfew-\(String(hash, radix: 16)).sock"
    }
}
