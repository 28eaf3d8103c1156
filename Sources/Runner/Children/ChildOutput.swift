// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Scheduling

/// The standard output and error of a plugin's process, which are logged line by line.
///
/// For each task 64 KiB of each are logged; the rest is dropped and counted. After the start of the process
/// only the thread for children uses it.
final class ChildOutput: @unchecked Sendable {
    // Sendable: one thread uses it after the other.

    private var outputs: [Int32: CommandOutput] = [:]
    private var writeEnds: [Int32] = []
    /// The number of tasks that have returned, when lines were last counted anew.
    private var counted: UInt64 = 0
    private let tasks: @Sendable () -> UInt64
    private let log: @Sendable (LogLevel, String) -> Void

    /// Makes the pipes. Nil, with errno, where there are none.
    ///
    /// - Parameters:
    ///   - tasks: returns the number of tasks that have returned.
    ///   - log: writes a line.
    init?(
        tasks: @escaping @Sendable () -> UInt64,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.tasks = tasks
        self.log = log
        for _ in 0..<2 {
            var ends: [Int32] = [-1, -1]
            guard csys_pipe(&ends) else {
                closeAll()
                return nil
            }
            csys_make_nonblocking(ends[0])
            outputs[ends[0]] = CommandOutput()
            writeEnds.append(ends[1])
        }
    }

    deinit { closeAll() }

    /// The descriptors to read from.
    var descriptors: [Int32] { Array(outputs.keys) }
    /// The standard output and the standard error of the process.
    var ends: (output: Int32, errors: Int32) { (writeEnds[0], writeEnds[1]) }

    /// Closes the writing ends, once the process has them.
    func closeEnds() {
        for end in writeEnds { csys_close(end) }
        writeEnds = []
    }

    private func closeAll() {
        closeEnds()
        for descriptor in outputs.keys { csys_close(descriptor) }
        outputs = [:]
    }

    private static let pieceBytes = 65_536

    /// Logs the bytes that one output has now. Returns false at its end.
    func read(_ descriptor: Int32) -> Bool {
        renew()
        return withUnsafeTemporaryAllocation(byteCount: Self.pieceBytes, alignment: 16) { memory in
            let count = csys_read_available(
                descriptor, memory.baseAddress!, UInt64(memory.count))
            guard count > 0 else { return count != 0 }
            outputs[descriptor]?.take(UnsafeRawBufferPointer(rebasing: memory[..<Int(count)]), tell)
            return true
        }
    }

    private func tell(_ line: CommandOutput.Line) {
        if case .plain(let text) = line { log(.info, text) }
    }

    private func renew() {
        let now = tasks()
        guard now != counted else { return }
        counted = now
        tellDropped()
    }

    private func tellDropped() {
        for descriptor in outputs.keys {
            guard let dropped = outputs[descriptor]?.renew(), dropped > 0 else { continue }
            log(.warning, "\(dropped) bytes of its output are not logged")
        }
    }

    func close(_ descriptor: Int32) {
        outputs[descriptor]?.finish(tell)
        if let dropped = outputs[descriptor]?.dropped, dropped > 0 {
            log(.warning, "\(dropped) bytes of its output are not logged")
        }
        outputs[descriptor] = nil
        csys_close(descriptor)
    }

    /// Logs the bytes left in the pipes of a process that has ended, and closes them.
    func finish() {
        for descriptor in descriptors {
            // A process that the supervisor could not kill may go on writing.
            var pieces = 0
            while pieces < 16, read(descriptor) { pieces += 1 }
            close(descriptor)
        }
    }
}
