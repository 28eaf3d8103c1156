// SPDX-License-Identifier: Apache-2.0
import Glibc
import RequestFaults
import Synchronization

/// Where the process is to end, as if something had killed it just then.
final class CrashPlan: Sendable {
    private struct Progress {
        /// How often each point was reached.
        var counts: [String: Int] = [:]
        /// Which transaction it is: the first one takes up what the host before left.
        var isRecovering = true
        var isLeaving = false
        var isOver = false
    }

    private let point: String
    private let count: Int
    private let progress = Mutex(Progress())

    /// `text` is a point's name, a colon, and the how-manieth time; "": nowhere.
    init(_ text: String) {
        let parts = text.split(separator: ":")
        point = parts.first.map(String.init) ?? ""
        count = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
    }

    /// The host begins to leave its store.
    func leaves() { progress.withLock { $0.isLeaving = true } }

    func reached(_ name: String) {
        progress.withLock { progress in
            progress.counts[name, default: 0] += 1
            guard name == point, progress.counts[name] == count, !progress.isOver else { return }
            progress.isOver = true
            History.put("point", name)
            kill(getpid(), SIGKILL)
            while true { pause() }
        }
    }

    /// The same for a point of a transaction, which has its name, the name of its phase, and for a
    /// call also that of any call.
    func reached(_ point: StorePoint) {
        let phase = progress.withLock { progress in
            let phase =
                progress.isRecovering ? "recovery" : progress.isLeaving ? "leaving" : "store"
            if point == .committed { progress.isRecovering = false }
            return phase
        }
        reached("\(phase)-\(point.name)")
        guard case .call = point else { return }
        reached("\(phase)-call")
        reached("call")
    }
}
