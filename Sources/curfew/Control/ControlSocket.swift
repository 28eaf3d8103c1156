// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import CurfewValues
import Glibc
import PluginBridge
import Service

/// The socket by which other programs of the machine reach the host of a store.
final class ControlSocket {
    /// A second for a commit that waits for the disk, and more for what a person asked.
    private static let patience: UInt64 = 5_000_000_000

    private let thread: ControlThread
    private let server: HTTPServer
    private let web: WebServer
    /// The directory in which the commands look, while the socket is elsewhere and has a link there.
    private let linked: (directory: OwnedDescriptor, name: String)?
    /// Whether it is where the commands look for it.
    let isFound: Bool
    /// Ends the circle of the routes and the page.
    private let unlinkWeb: @Sendable () -> Void

    /// Why there is none: lower case, no full stop.
    struct Failure: Error {
        let reason: String
    }

    /// - Parameters:
    ///   - reloads: takes calls that want the configuration read again.
    ///   - place: the store, which the host holds.
    ///   - access: who may do what.
    ///   - settings: where it is made, unless it is given.
    ///   - page: where the web page is over TCP.
    ///   - sendsTraces: a collector gets the launches of the host.
    ///   - lack: why it is not where the configuration wants it; nil if it is.
    ///   - given: the socket that the service manager has opened; nil to make one.
    init(
        _ host: Host, _ reloads: ReloadQueue, _ place: StorePlace, _ access: ControlAccess,
        _ settings: ControlSettings, _ page: WebSettings, sendsTraces: Bool, lack: String? = nil,
        given: OwnedDescriptor?
    ) throws(Failure) {
        guard let wanted = ControlPlace(place) else {
            throw Failure(reason: "there is no place for it: XDG_RUNTIME_DIR is not set")
        }
        let (directory, name) = (wanted.directory, wanted.name)
        guard let folder = OwnedDescriptor(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        else {
            throw Failure(reason: "\(directory): \(String(cString: strerror(errno)))")
        }
        // A store in a directory has a lock, which keeps others away.
        if place.isOnServer { try Self.checkIsFree(wanted, folder) }
        thread = ControlThread(place.name)
        guard thread.start() else { throw Failure(reason: "no thread could be started") }
        // The page leads to the same routes, one of which opens it.
        let opener = Locked<WebServer?>(nil)
        let routes = ControlRoutes(
            host, thread, reloads, place, access, socket: settings.socket ?? wanted.path,
            sendsTraces: sendsTraces, lack: lack
        ) { (peer) throws(HTTPServer.Failure) in
            guard let web = opener.withLock({ $0 }) else {
                throw HTTPServer.Failure(reason: "the host is not ready yet")
            }
            return try web.link(for: peer)
        }
        let webServer = WebServer(page) { routes.handle($0) }
        web = webServer
        opener.withLock { $0 = webServer }
        unlinkWeb = { opener.withLock { $0 = nil } }
        var limits = HTTPServer.Limits()
        limits.bodyBytes = JSONReader.sizeLimit
        // The other half is for plugins, programs and the store.
        var descriptors = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
            limits.connections = min(limits.connections, Int(clamping: descriptors.rlim_cur / 2))
            limits.foreignConnections = min(limits.foreignConnections, limits.connections / 4)
        }
        // One that was left by a host that was killed would be in the way.
        Self.unlink(name, in: folder)
        do {
            let made =
                given == nil
                ? try settings.socket.map { try Self.made(at: $0, settings.mode) } : nil
            server = try HTTPServer(
                given.map(HTTPServer.Place.given) ?? made
                    ?? .made(in: folder, name: name, mode: 0o600), limits: limits
            ) { routes.handle($0) }
        } catch {
            thread.stop()
            throw error as? Failure
                ?? Failure(reason: (error as? HTTPServer.Failure)?.reason ?? "\(error)")
        }
        // A socket that was given is there as well.
        if let path = settings.socket, !Self.isPlace(path, name, in: folder) {
            // What a host that was killed has left: this one has the lock.
            csys_socket_remove(folder.number, name)
            linked = symlinkat(path, folder.number, name) == 0 ? (folder, name) : nil
        } else {
            linked = nil
        }
        let found = csys_socket_connect(folder.number, name)
        isFound = found >= 0
        if found >= 0 { csys_close(found) }
    }

    private static func checkIsFree(
        _ place: ControlPlace, _ directory: OwnedDescriptor
    ) throws(Failure) {
        let found = csys_socket_connect(directory.number, place.name)
        guard found >= 0 else { return }
        csys_close(found)
        throw Failure(reason: "another host of the store answers at \(place.path)")
    }

    /// Whether a path names that entry of a directory.
    private static func isPlace(
        _ path: String, _ name: String, in directory: OwnedDescriptor
    ) -> Bool {
        let parts = path.parts(at: "/")
        guard parts.last.map({ $0 == name }) == true else { return false }
        var (there, here) = (stat(), stat())
        return stat("/" + parts.dropLast().joined(separator: "/"), &there) == 0
            && fstat(directory.number, &here) == 0 && there.st_dev == here.st_dev
            && there.st_ino == here.st_ino
    }

    /// Removes a link to a socket elsewhere.
    private static func unlink(_ name: String, in directory: OwnedDescriptor) {
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

    /// Serves the web page over TCP if the configuration wants that. Returns where.
    func openWeb() throws(HTTPServer.Failure) -> String? { try web.openIfConfigured() }

    /// Waits until the thread of the socket has looked at what came: for ever where it is stuck.
    func awaitThread() { server.awaitThread() }

    /// Roles have changed.
    func recheck(_ access: ControlAccess) { thread.recheck { access.rights(of: $0) } }

    /// Answers what was asked, and whatever comes then with the news that the host ends. The host has to work until
    /// it returns.
    func beginStop() { thread.stop() }

    /// Removes the socket.
    func stop() {
        if let linked { Self.unlink(linked.name, in: linked.directory) }
        unlinkWeb()
        web.stop(at: csys_monotonic_ns() &+ Self.patience)
        server.stop(at: csys_monotonic_ns() &+ Self.patience)
    }
}
