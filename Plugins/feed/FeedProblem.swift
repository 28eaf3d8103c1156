// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import Glibc

/// An error of a feed task.
struct FeedProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// A system call failed.
    init(_ action: String, _ path: String, _ error: Int32) {
        description = "could not \(action) \(path): \(String(cString: strerror(error)))"
    }

    /// The task was told to stop.
    init(stopped task: HandlerTask, _ place: String, _ consequence: String) {
        let reason = task.reason.map { " because \($0)" } ?? ""
        description = "stopped \(place)\(reason); \(consequence)"
    }

    /// The task was told to stop before there was anything to write.
    init(stoppedReading source: String, _ task: HandlerTask) {
        self.init(
            stopped: task, "while reading \(source)",
            "nothing was written, and the next run asks again")
    }
}
