// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling

/// A running program of a task.
///
/// Its descriptors are read by the thread of `CommandRunner` only; orders may come from any thread
/// that holds the runner's lock.
final class CommandRun {
    let task: UInt64
    let plugin: Int32
    let command: ManifestCommand
    /// Where it has one of its own.
    let group: ControlGroup?
    /// The limits of the program; 0 where it has none.
    let limits: csys_limits
    let control: Int32
    private(set) var outputs: [Int32: CommandOutput]
    private var open: Set<Int32>
    /// The order of outputs: standard output, standard error.
    private let descriptors: [Int32]
    private var result: [UInt8] = []
    private let resultLimit: Int
    private(set) var isStopped = false
    private(set) var isKilled = false
    /// The time on CLOCK_MONOTONIC until which the end of its task waits for the end of its processes;
    /// nil if the task's end is published without it.
    var publishesBy: UInt64?

    init(
        task: UInt64, plugin: Int32, _ command: ManifestCommand, _ group: ControlGroup?,
        _ limits: csys_limits, control: Int32, output: Int32, errors: Int32, resultLimit: Int
    ) {
        self.task = task
        self.plugin = plugin
        self.command = command
        self.limits = limits
        self.group = group
        self.control = control
        self.resultLimit = resultLimit
        descriptors = [output, errors]
        open = [output, errors]
        let empty = CommandOutput(
            progressPrefix: command.progressPrefix, resultPrefix: command.resultPrefix)
        outputs = [output: empty, errors: empty]
    }

    var channels: [Int32] { [control] + open }

    /// Sends SIGTERM to its process group, once.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        csys_child_order(control, Int32(csys_order_terminate))
    }

    /// Kills all of its processes, once.
    func kill() {
        guard !isKilled else { return }
        isKilled = true
        csys_child_order(control, Int32(csys_order_kill))
    }

    // MARK: Output

    private static let pieceBytes = 65_536

    /// Reads what is there of an output, at most one piece. Returns the number of bytes: 0 at its
    /// end, -1 if there is nothing now.
    func read(_ descriptor: Int32, _ body: (CommandOutput.Line) -> Void) -> Int64 {
        withUnsafeTemporaryAllocation(byteCount: Self.pieceBytes, alignment: 16) { memory in
            let count = csys_read_available(
                descriptor, memory.baseAddress!, UInt64(memory.count))
            if count > 0 {
                outputs[descriptor]?.take(
                    UnsafeRawBufferPointer(rebasing: memory[..<Int(count)])
                ) { body(kept($0)) }
            }
            return count
        }
    }

    private func kept(_ line: CommandOutput.Line) -> CommandOutput.Line {
        if case .result(let text) = line {
            let separator = result.isEmpty ? "" : "\n"
            let more = Array((separator + text).utf8)
            if result.count + more.count <= resultLimit { result += more }
        }
        return line
    }

    func close(_ descriptor: Int32) {
        guard open.remove(descriptor) != nil else { return }
        csys_close(descriptor)
    }

    /// Reads what its processes, which have ended, have left in the pipes, and closes all.
    func finish(_ body: (CommandOutput.Line) -> Void) {
        for descriptor in descriptors where open.contains(descriptor) {
            // A process that is none of its own may go on writing.
            var pieces = 0
            while pieces < 16, read(descriptor, body) > 0 { pieces += 1 }
            close(descriptor)
        }
        for descriptor in descriptors {
            outputs[descriptor]?.finish { body(kept($0)) }
        }
        csys_close(control)
    }

    /// The bytes of its output that were not logged.
    var dropped: UInt64 { outputs.values.reduce(0) { $0 &+ $1.dropped } }

    /// The last line of its standard error, or else of its standard output.
    var lastLine: String {
        descriptors.reversed().compactMap { outputs[$0]?.last }.first { !$0.isEmpty } ?? ""
    }

    var taskResult: [UInt8] { result }
}
