// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import Foundation
import FoundationBackground
import TestSupport
import UIKitBackground

/// An app in a process of its own, for what there is one of in a process: `life-harness SCENARIO`
/// prints what happens, line by line.
@main
struct Harness {
    static let clock = ManualBackgroundClock()
    /// The host's.
    nonisolated(unsafe) static let hostClock: OpaquePointer = {
        var made: OpaquePointer?
        _ = curfew_clock_create(&made, nil)
        guard let made else { fatalError("no clock could be made") }
        return made
    }()

    /// A completion handler was dropped, and that was said.
    static let dropped = Signal()

    static func main() {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        guard let scenario = Scenario.all[name] else {
            print("no scenario \(name)")
            exit(2)
        }
        var host = AppHost.Configuration()
        host.keepsRequests = false
        host.readsMachine = false
        host.clock = hostClock
        host.misuse = .throwError
        host.log = { level, text in
            if level >= .warning { say("log: \(text)") }
            if text.contains("was dropped") { dropped.send() }
        }
        AppHost.configure(host)
        var execution = BackgroundExecution()
        execution.clock = clock
        if CommandLine.arguments.contains("--stop") { execution.overrun = .stop }
        BackgroundExecution.configure(execution)
        Thread.detachNewThread {
            scenario()
            exit(0)
        }
        if CommandLine.arguments.contains("--without-app") {
            while true { RunLoop.main.run() }
        }
        UIApplication.run(Delegate())
    }
}

/// One line, whole, whichever thread writes it.
func say(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { _ = write(1, $0.baseAddress!, $0.count) }
}

/// On the main thread, and back when it is done.
func onMain<Answer: Sendable>(_ body: @escaping @MainActor @Sendable () -> Answer) -> Answer {
    DispatchQueue.main.sync { MainActor.assumeIsolated(body) }
}

/// What was given to the main thread before has been done.
func settle() { onMain {} }

func enterBackground() {
    AppHost.life.enterBackground()
    settle()
}

func enterForeground() {
    AppHost.life.enterForeground()
    settle()
}

/// Lets time pass, and what follows from it.
func pass(_ seconds: Double) {
    Harness.clock.advance(by: seconds)
    settle()
    settle()
}

/// Lets time pass for the host, once a fetch that has answered has returned, too: a worker that an hour
/// goes by in is a lost one.
func passInHost(_ seconds: UInt64) {
    var index: UInt32 = 0
    if let host = AppHost.shared.host,
        curfew_host_find_handler(host, Scenario.fetchIdentifier, &index, nil)
            == curfew_status(CURFEW_OK)
    {
        while isRunning(index, host) {}
    }
    _ = curfew_clock_advance(Harness.hostClock, seconds * 1_000_000_000, nil)
}

/// Whether a function of a handler has not returned.
private func isRunning(_ handler: UInt32, _ host: OpaquePointer) -> Bool {
    withUnsafeTemporaryAllocation(of: curfew_handler_state.self, capacity: 1) { state in
        let size = MemoryLayout<curfew_handler_state>.size
        memset(state.baseAddress!, 0, size)
        state[0].struct_size = UInt32(size)
        _ = curfew_host_get_handler(host, handler, state.baseAddress!, nil)
        return state[0].active > 0
    }
}

var thread: String { Thread.isMainThread ? "main" : "other" }
