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

    /// Where its socket is: in the directory of a store, or at a path.
    private enum Target {
        case store(StorePlace)
        case socket(String)

    }

    private let target: Target

    init(_ place: StorePlace) { target = .store(place) }

    init(socket path: String) { target = .socket(path) }

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
        target = .store(try StorePlace(arguments, configured: store))
    }

    /// Makes a call, and returns its answer.
    ///
    /// - Parameters:
    ///   - path: with a query.
    ///   - patience: nanoseconds until the host counts as one that does not answer.
    ///   - body: JSON; nil for none.
    ///   - member: one that the answer has; nil if it has any.
    ///   - statuses: those whose answer is returned; another one is an error.
    func call(
        _ method: String, _ path: String, body: String? = nil, patience: UInt64 = Self.patience,
        having member: String?, statuses: [Int] = [200, 202]
    ) throws(CommandError) -> ControlAnswer {
        let deadline = csys_monotonic_ns().addingReportingOverflow(patience)
        let socket = try connected()
        defer { close(socket) }
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if let body {
            head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        try write(Array((head + "\r\n" + (body ?? "")).utf8), to: socket)
        let read = try read(socket, until: deadline.overflow ? .max : deadline.partialValue)
        guard let answer = ControlAnswer(read),
            member.map({ answer[$0] != nil }) ?? true || answer["error"] != nil
        else {
            throw broken(
                read.isEmpty
                    ? "it closed the connection without an answer"
                    : "what it answered is no answer of a host")
        }
        guard answer["error"] == nil, statuses.contains(answer.status) else { throw answer.error }
        return answer
    }

    /// Writes all. A host that does not take a body may have answered why.
    private func write(_ bytes: [UInt8], to socket: Int32) throws(CommandError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE || errno == ECONNRESET {
                return
            } else if errno != EINTR {
                throw broken("it closed the connection")
            }
        }
    }

    /// Has a service manager that listens for the host start it. Returns whether one does.
    func wakeHost() -> Bool {
        guard case .store(let place) = target, let wanted = ControlPlace(place) else {
            return false
        }
        let directory = open(wanted.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { close(directory) }
        let socket = csys_socket_connect(directory, wanted.name)
        if socket >= 0 { close(socket) }
        return socket >= 0
    }

    private func connected() throws(CommandError) -> Int32 {
        switch target {
        case .store(let place): try connected(place)
        case .socket(let path): try connected(path)
        }
    }

    private func connected(_ path: String) throws(CommandError) -> Int32 {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? ""
        let above = String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self)
        let directory = open(above.isEmpty ? "." : above, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let socket = directory < 0 ? -errno : csys_socket_connect(directory, name)
        if directory >= 0 { close(directory) }
        guard socket < 0 else { return socket }
        switch -socket {
        case EAGAIN: throw silent(nil)
        case EACCES, EPERM:
            throw CommandError(
                .denied, "this user may not reach the socket \(path)",
                help: ["its host's administrator sets its permissions: `mode` below `control`"])
        case ENOENT, ENOTDIR, ECONNREFUSED, ENOTSOCK:
            throw CommandError(
                .missing, "no host is at the socket \(path): \(String(cString: strerror(-socket)))",
                help: ["its host's administrator starts it: curfew serve"])
        default:
            throw CommandError(
                .host, "the host cannot be reached: \(String(cString: strerror(-socket)))")
        }
    }

    private func connected(_ place: StorePlace) throws(CommandError) -> Int32 {
        guard let wanted = ControlPlace(place) else {
            throw CommandError(
                .missing, "this user has no place where a host on this machine has its socket",
                notes: ["XDG_RUNTIME_DIR is not set"], help: ["curfew hosts" + place.option])
        }
        let directory = open(wanted.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            if !place.isOnServer, errno == ENOENT || errno == ENOTDIR { try place.checkIsThere() }
            throw CommandError(
                .denied,
                "\(wanted.directory) cannot be read: \(String(cString: strerror(errno)))",
                help: ["the user of the host can"])
        }
        defer { close(directory) }
        let socket = csys_socket_connect(directory, wanted.name)
        guard socket >= 0 else { throw try unreachable(-socket, place) }
        var status = stat()
        let peer = peer(of: socket)
        guard fstat(directory, &status) == 0, peer == 0 || peer == status.st_uid else {
            close(socket)
            throw broken("it belongs to another user than \(wanted.directory)")
        }
        return socket
    }

    private func peer(of socket: Int32) -> UInt32? {
        var (user, group, process): (UInt32, UInt32, Int32) = (0, 0, 0)
        return csys_socket_peer(socket, &user, &group, &process) ? user : nil
    }

    private func unreachable(
        _ code: Int32, _ place: StorePlace
    ) throws(CommandError) -> CommandError {
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
            place.isOnServer
                ? "no host on this machine that uses the store has a socket for this user: \(HostNote.text(host, at: csys_realtime_ns()))"
                : "the host has no control socket: \(HostNote.text(host, at: csys_realtime_ns()))",
            notes: [
                place.isOnServer
                    ? "a host is reached by a socket on its own machine, as its user; others are drained through the store: curfew drain HOST"
                    : "it ends just now, is another program than `curfew serve`, has no libmicrohttpd, or was given a socket in another place"
            ], help: [(place.isOnServer ? "curfew hosts" : "curfew doctor") + place.option])
    }

    private func silent(_ note: String?) -> CommandError {
        CommandError(
            .timedOut, "the host does not answer on \(socketName)",
            notes: note.map { [$0] } ?? [], help: help)
    }

    private func broken(_ what: String) -> CommandError {
        CommandError(
            .host, "the host cannot be asked on \(socketName): \(what)", help: help)
    }

    private var socketName: String {
        switch target {
        case .store(let place): ControlPlace(place)?.name ?? ControlPlace.usualName
        case .socket(let path): path
        }
    }

    private var help: [String] {
        guard case .store(let place) = target else { return [] }
        return ["curfew doctor" + place.option]
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
            } else if errno == ECONNRESET {
                return bytes
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
