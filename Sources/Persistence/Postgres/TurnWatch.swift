// SPDX-License-Identifier: Apache-2.0

/// Tells when others have changed a store on a server, by the number of their turns.
///
/// A turn draws its place from a sequence just before its commit, and others see the new number at once. A reader that
/// looks in between does not see the turn, and its commit does not change the number any more. So the reader looks
/// again, until no turn is under way.
struct TurnWatch {
    private var turns: Int64?
    /// A number that changes when there may be something new.
    private(set) var version: Int64 = 0
    /// Whether all that the version counts can be seen. If not, there is news when it is asked for again.
    private(set) var isSettled = true

    /// - Parameters:
    ///   - turns: the number of turns of others.
    ///   - areUnderWay: whether any of them was not over after the number was read; nil if that was not asked.
    mutating func observe(turns: Int64, areUnderWay: Bool?) {
        let isNew = turns != self.turns
        if isNew || !isSettled { version += 1 }
        isSettled = !(areUnderWay ?? (isNew || !isSettled))
        self.turns = turns
    }
}
