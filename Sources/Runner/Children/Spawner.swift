// SPDX-License-Identifier: Apache-2.0
package import CSystem
import CurfewValues
import Glibc
package import PluginBridge

/// The process that starts a host's programs and plugins, and that ends them when the host ends. It
/// is started with the first of them, and replaced after it was killed.
package final class Spawner: Sendable {
    /// The configured path of curfew-child.
    private let path: String?
    private let state = Locked(State())

    private struct State {
        /// Opened once: an upgrade during the life of the host does not matter then.
        var program: TrustedProgram?
        var process: csys_spawner?
    }

    /// Nanoseconds in which it greets, and in which it ends.
    private static var greetingLimit: UInt64 { 10_000_000_000 }
    private static var exitLimit: UInt64 { 2_000_000_000 }

    package init(path: String?) { self.path = path }

    /// Starts a child: `request` asks the process for it, and returns 0 or an errno.
    package func start(_ request: (inout csys_spawner) -> Int32) throws(BridgeError) {
        try state.withLock { state throws(BridgeError) in
            try open(&state)
            var error = request(&state.process!)
            if error == EPIPE || error == ECONNRESET {
                // It was killed, and all of its children with it.
                stop(&state)
                try open(&state)
                error = request(&state.process!)
            }
            guard error == 0 else { throw Self.failure("the process cannot be started", error) }
        }
    }

    /// Starts the process, if it does not run.
    package func open() throws(BridgeError) {
        try state.withLock { state throws(BridgeError) in try open(&state) }
    }

    /// Continues the process, if a child has stopped it.
    package func resume() {
        state.withLock { state in
            if var process = state.process { csys_spawner_resume(&process) }
        }
    }

    /// Kills all children, and ends the process.
    package func stop() { state.withLock { stop(&$0) } }

    /// Returns a spawner of the same program, with a process of its own.
    package func another() throws(BridgeError) -> Spawner {
        let program = try state.withLock { state throws(BridgeError) -> TrustedProgram in
            try self.program(&state)
        }
        let other = Spawner(path: path)
        other.state.withLock { $0.program = program }
        return other
    }

    private func program(_ state: inout State) throws(BridgeError) -> TrustedProgram {
        if let known = state.program { return known }
        let program = try HelperProgram.open(configured: path)
        state.program = program
        return program
    }

    private func open(_ state: inout State) throws(BridgeError) {
        if state.process != nil { return }
        let program = try program(&state)
        var fresh = csys_spawner()
        let error = csys_spawner_start(&fresh, program.descriptor)
        guard error == 0 else { throw Self.failure("\(program.path) cannot be run", error) }
        var greeting = csys_greeting()
        let answer = csys_spawner_greeted(
            &fresh, csys_monotonic_ns() &+ Self.greetingLimit, &greeting)
        guard answer == 0 else {
            _ = csys_spawner_stop(&fresh, csys_monotonic_ns() &+ Self.exitLimit)
            guard answer == EPROTO else {
                throw Self.failure("\(program.path) was started and does not answer", answer)
            }
            throw BridgeError(
                .system,
                "\(program.path) is of another version than this host (its frames are \(String(greeting.layout, radix: 16)), the host's \(String(csys_layout(), radix: 16))); install both from one version; nothing was run"
            )
        }
        state.process = fresh
    }

    private func stop(_ state: inout State) {
        guard var old = state.process else { return }
        state.process = nil
        _ = csys_spawner_stop(&old, csys_monotonic_ns() &+ Self.exitLimit)
    }

    private static func failure(_ what: String, _ error: Int32) -> BridgeError {
        BridgeError(.system, "\(what): \(String(cString: strerror(error))); nothing was run")
    }
}
