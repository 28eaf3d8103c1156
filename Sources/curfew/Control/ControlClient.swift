// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge
import Scheduling
import Service

/// The control socket of a store's host, as commands use it: a connection for each call.
struct ControlClient {
    /// Nanoseconds in which a host answers that has nothing to wait for.
    static let patience: UInt64 = 10_000_000_000
    /// The most bytes of an answer.
    private static let answerLimit = 4 << 20

    private let place: StorePlace

    init(_ place: StorePlace) { self.place = place }

    /// Finds the host as `curfew serve` with the same options finds its store.
    ///
    /// - Parameter ignoresFaults: a configuration that cannot be read counts as none, unless it is named.
    init(_ arguments: Arguments, ignoresFaults: Bool = false) throws(CommandError) {
        var store: String?
        if let files = ServeConfiguration.files(arguments) {
            do throws(CommandError) {
                store = try ServeConfiguration.read(files)?.store
            } catch {
                guard ignoresFaults, !arguments.has(ServeConfiguration.option) else {
                    throw error
                }
            }
        }
        place = try StorePlace(arguments, configured: store)
    }

    /// Makes a call, and returns its answer.
    ///
    /// - Parameters:
    ///   - target: path and query.
    ///   - patience: nanoseconds until the host counts as one that does not answer.
    ///   - member: one that the answer has.
    ///   - statuses: those whose answer is returned; another one is an error.
    func call(
        _ method: String, _ target: String, patience: UInt64 = Self.patience,
        having member: String, statuses: [Int] = [200, 202]
    ) throws(CommandError) -> ControlAnswer {
        let deadline = csys_monotonic_ns().addingReportingOverflow(patience)
        let socket = try connected()
        defer { close(socket) }
        let head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let bytes = Array(head.utf8)
        guard send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw broken("it closed the connection")
        }
        let read = try read(socket, until: deadline.overflow ? .max : deadline.partialValue)
        guard let answer = ControlAnswer(read), answer[member] != nil || answer["error"] != nil
        else { throw broken("what it answered is no answer of a host") }
        guard answer["error"] == nil, statuses.contains(answer.status) else { throw answer.error }
        return answer
    }

    /// Has a service manager that listens for the host start it. Returns whether one does.
    func wakeHost() -> Bool {
        let directory = open(place.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { close(directory) }
        let socket = csys_socket_connect(directory, ControlSocket.name)
        if socket >= 0 { close(socket) }
        return socket >= 0
    }

    private func connected() throws(CommandError) -> Int32 {
        let directory = open(place.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { try place.checkIsThere() }
            throw CommandError(
                .denied,
                "the store at \(place.directory) cannot be read: \(String(cString: strerror(errno)))",
                help: ["the user of its host can"])
        }
        defer { close(directory) }
        let socket = csys_socket_connect(directory, ControlSocket.name)
        guard socket >= 0 else { throw try unreachable(-socket) }
        var status = stat()
        let peer = peer(of: socket)
        guard fstat(directory, &status) == 0, peer == 0 || peer == status.st_uid else {
            close(socket)
            throw broken("it belongs to another user than the store")
        }
        return socket
    }

    private func peer(of socket: Int32) -> UInt32? {
        var (user, group, process): (UInt32, UInt32, Int32) = (0, 0, 0)
        return csys_socket_peer(socket, &user, &group, &process) ? user : nil
    }

    private func unreachable(_ code: Int32) throws(CommandError) -> CommandError {
        if code == EAGAIN { return silent(nil) }
        guard code == ENOENT || code == ECONNREFUSED else {
            return CommandError(
                code == EACCES ? .denied : .host,
                "the host cannot be reached: \(String(cString: strerror(code)))")
        }
        let store = try place.open()
        let host = try StorePlace.translated { () throws(StoreFault) in try store.host() }
        guard let host else {
            return CommandError(
                .missing, "no host uses the store at \(place.directory)",
                help: ["start one: curfew serve" + place.option])
        }
        return CommandError(
            .missing,
            "the host has no control socket: \(HostNote.text(host, at: csys_realtime_ns()))",
            notes: [
                "it ends just now, is another program than `curfew serve`, has no libmicrohttpd, or was given a socket in another place"
            ], help: ["curfew doctor" + place.option])
    }

    private func silent(_ note: String?) -> CommandError {
        CommandError(
            .timedOut, "the host does not answer on \(ControlSocket.name)",
            notes: note.map { [$0] } ?? [], help: ["curfew doctor" + place.option])
    }

    private func broken(_ what: String) -> CommandError {
        CommandError(
            .host, "the host cannot be asked on \(ControlSocket.name): \(what)",
            help: ["curfew doctor" + place.option])
    }

    /// Reads until the host closes the connection.
    private func read(_ socket: Int32, until deadline: UInt64) throws(CommandError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= Self.answerLimit {
            csys_wait_any_readable([socket], 1, deadline)
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 { return bytes }
            if count > 0 {
                bytes += buffer[..<count]
            } else if errno != EAGAIN && errno != EINTR {
                throw broken(String(cString: strerror(errno)))
            }
            guard csys_monotonic_ns() < deadline else {
                throw silent("what was asked of it may still be done")
            }
        }
        throw broken("its answer does not end")
    }
}
