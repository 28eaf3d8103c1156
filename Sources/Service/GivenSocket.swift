// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import PluginBridge

/// The listening socket that the service manager has opened for this process, as in sd_listen_fds(3). Clients
/// that connect while the service starts or is started again wait in its queue.
package enum GivenSocket {
    /// The name by which a unit gives it: FileDescriptorName=control.
    private static let name = "control"

    private typealias ListenDescriptors =
        @convention(c) (
            Int32, UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
        ) -> Int32
    private typealias IsUnixSocket =
        @convention(c) (Int32, Int32, Int32, UnsafePointer<CChar>?, Int) -> Int32

    /// Takes the socket, once; nil if none is given. Call it before there are threads: it removes the
    /// variables that are about it.
    package static func take() throws(ServiceManager.Failure) -> OwnedDescriptor? {
        guard let named = getenv("LISTEN_FDS"), named.pointee != 0 else { return nil }
        let count = String(cString: named)
        let listen = try SystemdLibrary.function(
            "sd_listen_fds_with_names", as: ListenDescriptors.self)
        let isUnix = try SystemdLibrary.function("sd_is_socket_unix", as: IsUnixSocket.self)
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let given = listen(1, &names)
        defer { free(names) }
        // The variables are those of another process.
        guard given != 0 else { return nil }
        guard given > 0 else {
            throw ServiceManager.Failure(
                reason:
                    "LISTEN_FDS is \(count): \(String(cString: strerror(-given)))")
        }
        let all = (0..<Int(given)).map { index in
            defer { free(names?[index]) }
            return names?[index].map { String(cString: $0) } ?? ""
        }
        // The first is number 3: SD_LISTEN_FDS_START.
        let descriptors = (0..<given).map { OwnedDescriptor(3 + $0) }
        guard all == [name], let descriptor = descriptors[0] else {
            throw ServiceManager.Failure(
                reason:
                    "one socket with the name \(name) is expected, not \(all.isEmpty ? "none" : all.joined(separator: ", "))"
            )
        }
        guard isUnix(descriptor.number, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
            throw ServiceManager.Failure(
                reason: "the socket \(name) is not a stream of a Unix socket that listens")
        }
        return descriptor
    }
}
