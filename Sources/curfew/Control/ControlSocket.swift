// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge
import Service

/// The socket in the directory of a store by which other programs reach its host.
final class ControlSocket {
    /// The name of the socket's file.
    static let name = "control.sock"
    /// A second for a commit that waits for the disk, and more for what a person asked.
    private static let patience: UInt64 = 5_000_000_000

    private let thread: ControlThread
    private let server: HTTPServer
    /// Whether it is in the directory of the store, where the commands look for it.
    let isInStore: Bool

    /// Why there is none: lower case, no full stop.
    struct Failure: Error {
        let reason: String
    }

    /// - Parameters:
    ///   - reloads: takes calls that want the configuration read again.
    ///   - place: the store, which the host holds.
    ///   - given: the socket that the service manager has opened; nil to make one in the directory.
    init(
        _ host: Host, _ reloads: ReloadQueue, _ place: StorePlace, given: OwnedDescriptor?
    ) throws(Failure) {
        let directory = place.directory
        guard let folder = OwnedDescriptor(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        else {
            throw Failure(reason: "\(directory): \(String(cString: strerror(errno)))")
        }
        thread = ControlThread(directory)
        guard thread.start() else { throw Failure(reason: "no thread could be started") }
        let routes = ControlRoutes(host, thread, reloads, place)
        var limits = HTTPServer.Limits()
        limits.bodyBytes = JSONReader.sizeLimit
        // The other half is for plugins, programs and the store.
        var descriptors = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
            limits.connections = min(limits.connections, Int(clamping: descriptors.rlim_cur / 2))
        }
        do throws(HTTPServer.Failure) {
            let place = given.map(HTTPServer.Place.given)
            server = try HTTPServer(
                place ?? .made(in: folder, name: Self.name, mode: 0o600), limits: limits
            ) { routes.handle($0) }
        } catch {
            thread.stop()
            throw Failure(reason: error.reason)
        }
        let found = csys_socket_connect(folder.number, Self.name)
        isInStore = found >= 0
        if found >= 0 { csys_close(found) }
    }

    /// Answers what was asked, and whatever comes then with the news that the host ends. The host has to work until
    /// it returns.
    func beginStop() { thread.stop() }

    /// Removes the socket.
    func stop() {
        server.stop(at: csys_monotonic_ns() &+ Self.patience)
    }
}
