// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import CurfewValues
import Glibc

/// Ctrl-C and its like, taken by a thread of its own.
///
/// The first signal cancels the task, the second ends the process. Before a task runs, the first one
/// does, and says which code of a plugin was running; once it is over, one is ignored, so that its
/// outcome is still printed.
final class Interruption: Sendable {
    private struct State {
        var task: LaunchedTask?
        var first: Int32?
        /// The task is over, and no signal came since.
        var isOver = false
    }

    private let state = Locked(State())
    private let feed: LifeFeed?

    /// The signal by which the task was cancelled.
    var signal: Int32? { state.withLock { $0.first } }

    /// Blocks the signals in this thread and in those it will start, so it must come before a host.
    init(_ feed: LifeFeed? = nil) throws(CommandError) {
        self.feed = feed
        try ProgramThread.takeSignals(orEnd: .host) { self.signalled($0) }
    }

    /// From now on the first signal cancels this task; nil: the task is over.
    func watch(_ task: LaunchedTask?) {
        let wasSignalled = state.withLock { state in
            state.task = task
            state.isOver = task == nil
            return state.first != nil
        }
        if wasSignalled { task?.cancel() }
    }

    /// Leaves the line that may just be drawn, unless the terminal takes nothing for a moment.
    private func sayGoodbye() {
        var ready = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 200) == 1 else { return }
        let lead = isatty(2) == 1 ? "\n" : ""
        var text = lead + "ended at once; the task had not answered\n"
        _ = text.withUTF8 { write(2, $0.baseAddress, $0.count) }
    }

    private func signalled(_ number: Int32) {
        let (task, isIgnored) = state.withLock { state -> (LaunchedTask?, Bool) in
            if state.isOver {
                state.isOver = false
                return (nil, true)
            }
            guard state.first == nil, let task = state.task else { return (nil, false) }
            state.first = number
            return (task, false)
        }
        if isIgnored { return }
        // Nothing may be waited for here: the other threads may be stuck in a plugin or a terminal.
        guard let task else {
            if signal != nil {
                sayGoodbye()
            } else {
                // If its text cannot be written, another signal ends the process.
                ProgramThread.stopTakingSignals()
                ReturnLimit.current?.interrupt(number)
            }
            _exit(ExitCode.signal(number).rawValue)
        }
        feed?.add(signal: number)
        task.cancel()
    }
}
