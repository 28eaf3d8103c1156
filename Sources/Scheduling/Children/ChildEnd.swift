// SPDX-License-Identifier: Apache-2.0

/// How a plugin's process has ended.
package enum ChildEnd: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// The kernel has killed it, since its control group had more memory than it may.
    case outOfMemory
    /// It could not be started, for this reason.
    case notStarted(String)
    /// Its supervisor has ended, so that it is not known.
    case lost

    /// The number of the signal that has ended it; 0 without one.
    package var signal: Int32 {
        switch self {
        case .signalled(let signal): signal
        case .outOfMemory: 9
        case .exited, .notStarted, .lost: 0
        }
    }

    /// The end as the rest of a sentence about a process.
    ///
    /// - Parameters:
    ///   - words: of the thread that has ended it, if there are any.
    ///   - reader: for whom.
    ///   - name: returns the name of a signal.
    package func text(
        _ words: LastWords? = nil, for reader: LastWords.Reader,
        signal name: (Int32) -> String
    ) -> String {
        let place = words.map { " " + $0.place(for: reader) } ?? ""
        switch self {
        case .exited(let status): return "exited with status \(status)\(place)"
        case .signalled(let signal):
            if words?.isOverflow == true {
                return "overflowed its stack (\(name(signal)))\(place)"
            }
            let address = words?.address.map { " at 0x\(String($0, radix: 16))" } ?? ""
            return "ended by \(name(signal))\(address)\(place)"
        case .outOfMemory: return "was killed by the kernel: it had more memory than it may"
        case .notStarted(let reason): return "could not be started: \(reason)"
        case .lost: return "ended with its supervisor"
        }
    }
}
