// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling

/// What goes wrong by chance while a plugin works: refusals of its host, less time than it was told, no
/// memory, no descriptors. All of it may happen to any plugin, and none of it is the plugin's fault.
///
/// The same seed gives the same choices in the same order; where several threads ask, the order is
/// theirs.
final class Chaos: Sendable {
    /// The statuses with which each function may fail, though nothing is wrong with the call.
    private static let refusals: [String: [Status]] = [
        "progress": [.already], "raise": [.busy], "keep": [.exhausted],
        "complete": [.closing], "complete with a result": [.exhausted, .closing],
        "submit": [.tooMany, .storeFull, .storeBusy, .closing],
    ]
    /// One of so many calls is refused.
    private static let rarity = 6

    private let chance: Locked<SeededGenerator>
    /// Told what is done, before it is done.
    let tell: @Sendable (String) -> Void

    init(seed: UInt64, tell: @escaping @Sendable (String) -> Void) {
        chance = Locked(SeededGenerator(seed: seed))
        self.tell = tell
    }

    /// A number below a limit.
    func below(_ limit: Int) -> Int { chance.withLock { $0.below(limit) } }

    /// Returns the status with which a call fails, if it fails.
    func refusal(of function: String) -> Status? {
        guard let statuses = Self.refusals[function], below(Self.rarity) == 0 else { return nil }
        let status = statuses[below(statuses.count)]
        tell("\(function) answered \(status.constant ?? "")")
        return status
    }

    /// Lets one of the plugin's next requests for memory fail, if that is what comes. It is to be ended
    /// with the task's function then.
    func takesMemory() -> Bool {
        guard below(3) == 0 else { return false }
        let passed = below(20)
        tell("its request \(passed + 1) for memory, if it makes so many, fails")
        csys_fail_allocations(UInt64(passed), 0)
        return true
    }

    /// Lets the plugin find no descriptor free, if that is what comes. Returns the limit that was, for
    /// `csys_permit_descriptors` at the end of the task's function.
    func takesDescriptors() -> UInt64? {
        guard below(Self.rarity) == 0 else { return nil }
        tell("no descriptor is free")
        return csys_forbid_descriptors()
    }

    /// Returns the time that a task is told to have left: now and then less than there is.
    func remaining(_ time: UInt64) -> UInt64 {
        guard time > 0, below(Self.rarity) == 0 else { return time }
        tell("remaining_ns answered a tenth of the rest")
        return time / 10
    }
}
