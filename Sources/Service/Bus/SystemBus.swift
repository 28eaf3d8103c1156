// SPDX-License-Identifier: Apache-2.0
internal import Glibc
import PluginBridge

/// A connection to the bus of the system, of which DBUS_SYSTEM_BUS_ADDRESS may name another.
///
/// One thread at a time may use it: sd-bus belongs to a thread. What comes over the bus is untrusted.
final class SystemBus {
    /// The bus, or a peer on it, did not answer as expected.
    struct Failure: Error {
        /// The `errno` that sd-bus returned.
        let code: Int32

        /// Lower case, no full stop.
        var reason: String { String(cString: strerror(code)) }

        /// The connection has ended; else the peer that was asked has refused, or does not answer.
        var isLost: Bool {
            [ENOTCONN, ECONNRESET, ECONNREFUSED, EPIPE, ESHUTDOWN, EBADF, ECHILD].contains(code)
        }
    }

    /// A signal that a peer has sent.
    struct Signal {
        /// The unique name of the sender, which the bus sets.
        let sender: String
        let path: String
        let interface: String
        let member: String
        /// Its first argument, if that is a boolean.
        var flag: Bool?
        /// Its arguments, as far as they are texts.
        var texts: [String] = []
    }

    /// The bus itself, as a peer: its name cannot be taken by another.
    static let driver = "org.freedesktop.DBus"
    /// The microseconds in which a peer has to answer.
    private static let limit: UInt64 = 1_000_000

    private let library: BusLibrary
    private let bus: BusLibrary.Bus
    /// The peers that have let their time pass since this was emptied.
    var unanswered: Set<String> = []

    init(_ library: BusLibrary) throws(Failure) {
        var bus: BusLibrary.Bus?
        try Self.check(library.open(&bus))
        guard let bus else { throw Failure(code: ENOTCONN) }
        self.library = library
        self.bus = bus
    }

    deinit { _ = library.closeUnref(bus) }

    private static func check(_ result: Int32) throws(Failure) {
        if result < 0 { throw Failure(code: -result) }
    }

    // MARK: Calls

    /// Calls a method whose arguments are texts, and reads the answer. A service that does not run is not started
    /// for it.
    private func call<Answer>(
        _ peer: String, _ path: String, _ interface: String, _ member: String,
        _ arguments: [String], _ read: (BusLibrary.Message) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        var call: BusLibrary.Message?
        try Self.check(library.newCall(bus, &call, peer, path, interface, member))
        guard let call else { throw Failure(code: ENOMEM) }
        defer { _ = library.unref(call) }
        _ = library.setAutoStart(call, 0)
        for argument in arguments {
            let result = argument.withCString { library.append(call, Self.code("s"), $0) }
            try Self.check(result)
        }
        var answer: BusLibrary.Message?
        let code = library.call(bus, call, Self.limit, nil, &answer)
        if code == -ETIMEDOUT { unanswered.insert(peer) }
        try Self.check(code)
        guard let answer else { throw Failure(code: EBADMSG) }
        defer { _ = library.unref(answer) }
        return try read(answer)
    }

    /// Has the bus deliver the signals that a rule describes.
    func match(_ rule: String) throws(Failure) {
        try call(Self.driver, "/org/freedesktop/DBus", Self.driver, "AddMatch", [rule]) { _ in }
    }

    /// Returns the unique name of a service; nil if it does not run.
    func owner(of service: String) throws(Failure) -> String? {
        do throws(Failure) {
            return try call(
                Self.driver, "/org/freedesktop/DBus", Self.driver, "GetNameOwner", [service],
                readText)
        } catch {
            // NameHasNoOwner
            guard error.code == ENXIO else { throw error }
            return nil
        }
    }

    // A property is nil if the service does not have it, or has another type there, or does not answer.

    func flag(_ name: String, of service: BusService) throws(Failure) -> Bool? {
        try property(name, service, "b") { (value) throws(Failure) in
            try read(value, "b", Int32(0)) != 0
        }
    }

    /// Of the type u, 32 bits without a sign.
    func number(_ name: String, of service: BusService) throws(Failure) -> UInt32? {
        try property(name, service, "u") { (value) throws(Failure) in
            try read(value, "u", UInt32(0))
        }
    }

    /// Of the type t, 64 bits without a sign.
    func large(_ name: String, of service: BusService) throws(Failure) -> UInt64? {
        try property(name, service, "t") { (value) throws(Failure) in
            try read(value, "t", UInt64(0))
        }
    }

    func real(_ name: String, of service: BusService) throws(Failure) -> Double? {
        try property(name, service, "d") { (value) throws(Failure) in
            try read(value, "d", 0.0)
        }
    }

    func text(_ name: String, of service: BusService) throws(Failure) -> String? {
        try property(name, service, "s", readText)
    }

    private func property<Value>(
        _ name: String, _ service: BusService, _ type: String,
        _ read: (BusLibrary.Message) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        do throws(Failure) {
            return try call(
                service.name, service.path, "org.freedesktop.DBus.Properties", "Get",
                [service.interface, name]
            ) { (answer) throws(Failure) in
                let code = library.enter(answer, Self.code("v"), type)
                guard code > 0 else { throw Failure(code: code < 0 ? -code : EBADMSG) }
                return try read(answer)
            }
        } catch {
            guard !error.isLost else { throw error }
            return nil
        }
    }

    /// Takes a delay of sleep and shutdown from login1. Returns the descriptor that holds it until it is closed;
    /// nil if login1 gives none.
    func delay() throws(Failure) -> OwnedDescriptor? {
        let login = BusService.login
        do throws(Failure) {
            return try call(
                login.name, login.path, login.interface, "Inhibit",
                [
                    "sleep:shutdown", "Curfew", "running tasks are told to stop first", "delay",
                ]
            ) { (answer) throws(Failure) in
                // The message closes its own at its end.
                let descriptor = try read(answer, "h", Int32(-1))
                return OwnedDescriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 3))
            }
        } catch {
            guard !error.isLost else { throw error }
            return nil
        }
    }

    private static func code(_ type: Unicode.Scalar) -> CChar { CChar(UInt8(ascii: type)) }

    /// Reads an argument of a basic type.
    ///
    /// - Parameter initial: a value of the C type that the type of D-Bus has.
    private func read<Value: BitwiseCopyable>(
        _ message: BusLibrary.Message, _ type: Unicode.Scalar, _ initial: Value
    ) throws(Failure) -> Value {
        var value = initial
        let code = withUnsafeMutableBytes(of: &value) { bytes in
            library.readBasic(message, Self.code(type), bytes.baseAddress!)
        }
        guard code > 0 else { throw Failure(code: code < 0 ? -code : EBADMSG) }
        return value
    }

    private func readText(_ message: BusLibrary.Message) throws(Failure) -> String {
        let text = try read(message, "s", UnsafePointer<CChar>?.none)
        return text.map { String(cString: $0) } ?? ""
    }

    // MARK: Signals

    /// Processes what has come. Returns the next signal; nil if nothing more is there.
    func next() throws(Failure) -> Signal? {
        while true {
            var message: BusLibrary.Message?
            let result = library.process(bus, &message)
            try Self.check(result)
            guard let message else {
                if result == 0 { return nil }
                continue
            }
            defer { _ = library.unref(message) }
            // Answers and calls are skipped: they lack one of these.
            guard let sender = library.sender(message), let path = library.path(message),
                let interface = library.interface(message), let member = library.member(message)
            else { continue }
            var signal = Signal(
                sender: String(cString: sender), path: String(cString: path),
                interface: String(cString: interface), member: String(cString: member))
            if let flag = try? read(message, "b", Int32(0)) {
                signal.flag = flag != 0
            } else {
                while signal.texts.count < 3, let text = try? readText(message) {
                    signal.texts.append(text)
                }
            }
            return signal
        }
    }

    /// The descriptor and events for ppoll(2), and until when to wait at most, on CLOCK_MONOTONIC in nanoseconds.
    func poll() throws(Failure) -> (descriptor: pollfd, until: UInt64) {
        let descriptor = library.descriptor(bus)
        try Self.check(descriptor)
        let events = library.events(bus)
        try Self.check(events)
        var until: UInt64 = .max
        try Self.check(library.timeout(bus, &until))
        let (nanoseconds, isLong) = until.multipliedReportingOverflow(by: 1_000)
        return (
            pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
            isLong ? .max : nanoseconds
        )
    }
}
