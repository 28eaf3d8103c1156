// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin
import Synchronization

/// Leaves its task to one that goes on when `run` has long returned, and asks it for everything.
/// The next launch hears what it heard.
struct Handler: TaskHandler {
    private static let heard = Mutex<String?>(nil)
    private static let hasBegun = Atomic<Bool>(false)

    func run(_ task: HandlerTask) async throws -> [UInt8] {
        if Self.hasBegun.exchange(true, ordering: .sequentiallyConsistent) {
            var heard: String?
            while heard == nil {
                await Task.yield()
                heard = Self.heard.withLock { $0 }
            }
            task.report(progress: 1, heard ?? "")
            return []
        }
        Task.detached {
            while !task.isExpired { await Task.yield() }
            task.report(progress: 1, "too late")
            task.log(.warning, "too late")
            let payload = task.payload.count
            let refused: Bool
            do throws(HostRefusal) {
                try task.raise("violation_said")
                refused = false
            } catch {
                refused = error.code == .over
            }
            Self.heard.withLock {
                $0 = "remaining \(task.remaining), payload \(payload), refused \(refused)"
            }
        }
        return []
    }
}
