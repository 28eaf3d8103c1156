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
    /// The directory of the store, while the socket is elsewhere and has a link there.
    private let linked: OwnedDescriptor?
    /// Whether it is in the directory of the store, where the commands look for it.
    let isInStore: Bool

    /// Why there is none: lower case, no full stop.
    struct Failure: Error {
        let reason: String
    }

    /// - Parameters:
    ///   - reloads: takes calls that want the configuration read again.
    ///   - place: the store, which the host holds.
    ///   - access: who may do what.
    ///   - settings: where it is made, unless it is given.
    ///   - given: the socket that the service manager has opened; nil to make one.
    init(
        _ host: Host, _ reloads: ReloadQueue, _ place: StorePlace, _ access: ControlAccess,
        _ settings: ControlSettings, given: OwnedDescriptor?
    ) throws(Failure) {
        let directory = place.directory
        guard let folder = OwnedDescriptor(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        else {
            throw Failure(reason: "\(directory): \(String(cString: strerror(errno)))")
        }
        thread = ControlThread(directory)
        guard thread.start() else { throw Failure(reason: "no thread could be started") }
        let routes = ControlRoutes(
            host, thread, reloads, place, access,
            socket: settings.socket ?? place.directory + "/" + Self.name)
        var limits = HTTPServer.Limits()
        limits.bodyBytes = JSONReader.sizeLimit
        // The other half is for plugins, programs and the store.
        var descriptors = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
            limits.connections = min(limits.connections, Int(clamping: descriptors.rlim_cur / 2))
            limits.foreignConnections = min(limits.foreignConnections, limits.connections / 4)
        }
        // One that was left by a host that was killed would be in the way.
        Self.unlink(folder)
        do {
            let made =
                given == nil
                ? try settings.socket.map { try Self.made(at: $0, settings.mode) } : nil
            server = try HTTPServer(
                given.map(HTTPServer.Place.given) ?? made
                    ?? .made(in: folder, name: Self.name, mode: 0o600), limits: limits
            ) { routes.handle($0) }
        } catch {
            thread.stop()
            throw error as? Failure
                ?? Failure(reason: (error as? HTTPServer.Failure)?.reason ?? "\(error)")
        }
        // A socket that was given is there as well.
        if let path = settings.socket {
            // What a host that was killed has left: this one has the lock.
            csys_socket_remove(folder.number, Self.name)
            linked = symlinkat(path, folder.number, Self.name) == 0 ? folder : nil
        } else {
            linked = nil
        }
        let found = csys_socket_connect(folder.number, Self.name)
        isInStore = found >= 0
        if found >= 0 { csys_close(found) }
    }

    /// Removes a link to a socket elsewhere.
    private static func unlink(_ directory: OwnedDescriptor) {
        var status = stat()
        guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFLNK
        else { return }
        unlinkat(directory.number, name, 0)
    }

    private static func made(at path: String, _ mode: UInt32?) throws(Failure) -> HTTPServer.Place {
        let parts = path.parts(at: "/")
        let directory = "/" + parts.dropLast().joined(separator: "/")
        guard let folder = OwnedDescriptor(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        else { throw Failure(reason: "\(directory): \(String(cString: strerror(errno)))") }
        let name = String(parts[parts.count - 1])
        // The lock of a store keeps others from the socket in its directory alone.
        let found = csys_socket_connect(folder.number, name)
        guard found < 0 else {
            csys_close(found)
            throw Failure(reason: "another host answers at \(path)")
        }
        return .made(in: folder, name: name, mode: mode ?? 0o660)
    }

    /// Roles have changed.
    func recheck(_ access: ControlAccess) { thread.recheck { access.rights(of: $0) } }

    /// Answers what was asked, and whatever comes then with the news that the host ends. The host has to work until
    /// it returns.
    func beginStop() { thread.stop() }

    /// Removes the socket.
    func stop() {
        if let linked { Self.unlink(linked) }
        server.stop(at: csys_monotonic_ns() &+ Self.patience)
    }
}
