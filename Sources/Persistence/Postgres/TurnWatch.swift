// SPDX-License-Identifier: Apache-2.0

/// Tells when others have changed a store on a server, by the number of their turns.
///
/// A turn draws its place just before its commit, and everybody sees at once that it is drawn. Who looks into the
/// store then does not see the turn yet, and the number does not change any more. So a reader looks again, until no
/// turn is under way.
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
