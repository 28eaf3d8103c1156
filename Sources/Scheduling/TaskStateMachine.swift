// SPDX-License-Identifier: Apache-2.0

/// The state of one task in 64 bits, so that the caller can make every step with one
/// compare-and-exchange.
///
/// Inputs are methods; each returns the action for the caller. The step after which a task has no
/// run, has published its outcome and has no references also frees it: the value becomes the fresh
/// state of the next generation, and every id of the old generation is stale.
///
/// The states, and the inputs that lead from one to the next:
///
///     fresh/queued ── enter ──▶ entered ── functionReturned(pending) ──▶ pending
///        │ hold/resume             │ stop ──▶ stopped (reason) ────── graceOver ──┐
///        │                         ▼ complete / finish                             ▼
///        └──── stop ────────────▶ claimed ── publish ──▶ over ── … ──▶ next generation
///
/// The layout, from the lowest bit:
///
///     0 entered    1 returned   2 claimed    3 published  4 answered   5–7 outcome
///     8–10 reason  11 held      12 parked    13 raised    14 lost      15 done queued
///     16 calling   17–20 pins      21–26 references of the plugin
///     27–31 references of the embedder                    32–63 generation
@frozen @usableFromInline
package struct TaskStateMachine: Equatable, Sendable {
    @usableFromInline package var word: UInt64

    @inlinable package init(word: UInt64) { self.word = word }

    /// A task that was not entered yet, or a free slot. Both have the same value, so that a launch
    /// has nothing to write.
    @inlinable package init(generation: UInt32) { word = UInt64(generation) << 32 }

    @inlinable package var generation: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }

    // MARK: Flags

    @usableFromInline static let enteredBit: UInt64 = 1 << 0
    @usableFromInline static let returnedBit: UInt64 = 1 << 1
    @usableFromInline static let claimedBit: UInt64 = 1 << 2
    @usableFromInline static let publishedBit: UInt64 = 1 << 3
    @usableFromInline static let answeredBit: UInt64 = 1 << 4
    @usableFromInline static let outcomeShift: UInt64 = 5
    @usableFromInline static let reasonShift: UInt64 = 8
    @usableFromInline static let heldBit: UInt64 = 1 << 11
    @usableFromInline static let parkedBit: UInt64 = 1 << 12
    @usableFromInline static let raisedBit: UInt64 = 1 << 13
    @usableFromInline static let lostBit: UInt64 = 1 << 14
    @usableFromInline static let doneQueuedBit: UInt64 = 1 << 15
    @usableFromInline static let callingBit: UInt64 = 1 << 16
    @usableFromInline static let pinShift: UInt64 = 17
    @usableFromInline static let pinMask: UInt64 = 0xF << 17
    @usableFromInline static let pluginShift: UInt64 = 21
    @usableFromInline static let pluginMask: UInt64 = 0x3F << 21
    @usableFromInline static let embedderShift: UInt64 = 27
    @usableFromInline static let embedderMask: UInt64 = 0x1F << 27

    /// The maximum number of references of a plugin to one task.
    @inlinable package static var pluginReferenceLimit: UInt64 { 60 }
    /// The maximum number of references of an embedder to one task.
    @inlinable package static var embedderReferenceLimit: UInt64 { 30 }

    /// Whether a worker has entered the handler's function.
    @inlinable package var isEntered: Bool { word & Self.enteredBit != 0 }
    /// Whether no worker is inside the function, and none will enter it.
    @inlinable package var isReturned: Bool { word & Self.returnedBit != 0 }
    /// Whether the outcome is decided.
    @inlinable package var isClaimed: Bool { word & Self.claimedBit != 0 }
    /// Whether the outcome, its text and its result can be read.
    @inlinable package var isOver: Bool { word & Self.publishedBit != 0 }
    /// Whether the task completed within its grace after it was stopped.
    @inlinable package var isAnswered: Bool { word & Self.answeredBit != 0 }
    /// Whether the host ended the task, because it did not complete in time after it was stopped.
    @inlinable package var isAnsweredFor: Bool { isClaimed && reason != nil && !isAnswered }
    /// Whether the task has raised events, which the done event must follow.
    @inlinable package var hasRaised: Bool { word & Self.raisedBit != 0 }
    /// Whether its worker was given up.
    @inlinable package var isLost: Bool { word & Self.lostBit != 0 }
    @inlinable package var isHeld: Bool { word & Self.heldBit != 0 }
    /// Whether the task is paused and was taken from its queue, so that it is in no queue.
    @inlinable package var isParked: Bool { word & Self.parkedBit != 0 }
    /// Whether the expiration callback is about to run or running.
    @inlinable package var isCalling: Bool { word & Self.callingBit != 0 }

    /// The outcome, once it is decided.
    @inlinable package var outcome: Outcome? {
        Outcome(rawValue: UInt8(truncatingIfNeeded: word >> Self.outcomeShift) & 7)
    }
    /// The reason, once the task was stopped.
    @inlinable package var reason: StopReason? {
        StopReason(rawValue: UInt8(truncatingIfNeeded: word >> Self.reasonShift) & 7)
    }
    /// Whether the task should stop, or is over.
    @inlinable package var shouldStop: Bool {
        word & (7 << Self.reasonShift | Self.claimedBit) != 0
    }
    @inlinable package var pluginReferences: UInt64 {
        (word & Self.pluginMask) >> Self.pluginShift
    }
    @inlinable package var embedderReferences: UInt64 {
        (word & Self.embedderMask) >> Self.embedderShift
    }

    @inlinable package var phase: TaskPhase {
        if isClaimed { return .over }
        if !isEntered { return isHeld ? .held : .queued }
        if reason != nil { return .stopping }
        return isReturned ? .pending : .running
    }

    // MARK: Running

    /// The action of a worker for a task that it took from the queue.
    @usableFromInline package enum EnterAction: Equatable, Sendable {
        /// Call the function.
        case run
        /// Skip the task: it was cancelled or interrupted while it waited.
        case skip
        /// Park the task: it is paused.
        case park
    }

    /// A worker takes the task from its queue.
    @inlinable package mutating func enter() -> EnterAction {
        if isClaimed {
            word |= Self.returnedBit
            settle()
            return .skip
        }
        if isHeld {
            word |= Self.parkedBit
            return .park
        }
        word |= Self.enteredBit
        return .run
    }

    /// The action of a worker after the function has returned.
    @usableFromInline package enum ReturnAction: Equatable, Sendable {
        /// The outcome was decided before.
        case none
        /// The task completes later.
        case pending
        /// The result decides: store text and result, then `publish`.
        case decide
    }

    /// The function has returned. `success` is nil for pending.
    @inlinable package mutating func functionReturned(success: Bool?) -> ReturnAction {
        guard let success else {
            word |= Self.returnedBit
            if isClaimed {
                settle()
                return .none
            }
            return .pending
        }
        if isClaimed {
            word |= Self.returnedBit
            settle()
            return .none
        }
        claim(answering: success)
        word |= Self.returnedBit
        return .decide
    }

    /// The fast path of `functionReturned` and `publish` for a success without text, result or
    /// references: it ends the task in one step.
    ///
    /// Returns nil if the ordinary steps are required.
    @inlinable package func finished(queueingDone: Bool) -> TaskStateMachine? {
        guard word & 0xFFFF_FFFF == Self.enteredBit else { return nil }
        if queueingDone {
            return TaskStateMachine(
                word: word | Self.returnedBit | Self.claimedBit | Self.publishedBit
                    | Self.doneQueuedBit | UInt64(Outcome.succeeded.rawValue) << Self.outcomeShift)
        }
        return TaskStateMachine(generation: generation &+ 1)
    }

    /// The fast path of `enter`, `functionReturned` and `publish` for a task of another process, whose
    /// whole run the host learns of at once. Returns nil if the ordinary steps are required.
    @inlinable package func ran(queueingDone: Bool) -> TaskStateMachine? {
        guard word & 0xFFFF_FFFF == 0 else { return nil }
        return TaskStateMachine(word: word | Self.enteredBit).finished(queueingDone: queueingDone)
    }

    /// The fast path of `functionReturned` for a task that was completed with success before: the
    /// state if nothing is left of the task. Nil if the ordinary steps are required.
    @inlinable package var returnedWhenOver: TaskStateMachine? {
        let succeeded = UInt64(Outcome.succeeded.rawValue) << Self.outcomeShift
        guard
            word & 0xFFFF_FFFF
                == Self.enteredBit | Self.claimedBit | Self.publishedBit | succeeded
        else { return nil }
        return TaskStateMachine(generation: generation &+ 1)
    }

    // MARK: Completion

    /// The fast path of `complete` and `publish` for a success without text or result, of a task
    /// that was not stopped, has raised nothing, and has no references: one step.
    ///
    /// Returns nil if the ordinary steps are required.
    @inlinable @inline(__always)
    package func completed(queueingDone: Bool) -> TaskStateMachine? {
        let flags = word & 0xFFFF_FFFF
        guard flags == Self.enteredBit || flags == Self.enteredBit | Self.returnedBit else {
            return nil
        }
        var next = self
        next.word |=
            Self.claimedBit | UInt64(Outcome.succeeded.rawValue) << Self.outcomeShift
        next.publish(queueingDone: queueingDone)
        return next
    }

    /// The verdict of `complete`.
    @usableFromInline package enum Verdict: Equatable, Sendable {
        /// Accepted: store text and result, then `publish`.
        case accepted
        /// Accepted within the grace.
        case late
        /// The grace is over.
        case expired
        /// Completed before.
        case already
        /// The task was never entered, so that no code can know its id; or it was abandoned, so
        /// that its plugin has no id any more.
        case stale
    }

    /// Completes the task for its plugin, from any thread.
    @inlinable package mutating func complete(success: Bool) -> Verdict {
        guard isEntered, outcome != .abandoned else { return .stale }
        guard !isClaimed else { return reason != nil && !isAnswered ? .expired : .already }
        let late = reason != nil
        claim(answering: success)
        return late ? .late : .accepted
    }

    /// Ends the grace. Returns true if that decides the outcome; then `publish`.
    @inlinable package mutating func graceOver() -> Bool {
        guard !isClaimed, let reason else { return false }
        claim(as: reason.outcome)
        return true
    }

    /// The process of the task's plugin has ended. Returns true if that decides the outcome; then
    /// `publish`. `outcome` is `crashed`, or `interrupted` where the host has ended the process.
    @inlinable package mutating func processEnded(_ outcome: Outcome) -> Bool {
        word |= Self.returnedBit
        guard !isClaimed else {
            settle()
            return false
        }
        claim(as: reason?.outcome ?? outcome)
        return true
    }

    /// Changes the outcome to interrupted, because the end could not be stored in the task's
    /// request, which will be launched again. Then `publish`.
    @inlinable package mutating func interruptUnwritten() {
        precondition(isClaimed && !isOver, "an outcome that can be read does not change")
        word &= ~(7 << Self.outcomeShift)
        word |= UInt64(Outcome.interrupted.rawValue) << Self.outcomeShift
    }

    /// Makes the outcome readable, after text and result were stored.
    @inlinable package mutating func publish(queueingDone: Bool) {
        precondition(isClaimed && !isOver, "a task is published once, after it was claimed")
        word |= Self.publishedBit
        if queueingDone { word |= Self.doneQueuedBit }
        settle()
    }

    /// The done event was delivered.
    @inlinable package mutating func doneDelivered() {
        word &= ~Self.doneQueuedBit
        settle()
    }

    // MARK: Stopping

    /// The action of the caller of `stop`.
    @usableFromInline package enum StopAction: Equatable, Sendable {
        /// The task is over, or was stopped before.
        case already
        /// The task will not be entered, and its outcome is decided: `publish`.
        case neverEntered
        /// The task has not started and cannot be stopped for this reason.
        case notStarted
        /// Take the lock that orders the task's events, then call `stopConfirmed`.
        case confirm
    }

    /// Stops the task. Only one caller at a time gets `confirm`.
    @inlinable package mutating func stop(_ reason: StopReason) -> StopAction {
        guard !isClaimed, self.reason == nil, !isCalling else { return .already }
        if isEntered {
            word |= Self.callingBit
            return .confirm
        }
        switch reason {
        case .cancelled, .shutdown, .lease:
            // A parked task is in no queue, so no worker would find it.
            if isParked { word |= Self.returnedBit }
            word &= ~(Self.heldBit | Self.parkedBit)
            claim(as: reason.outcome)
            return .neverEntered
        case .budget, .condition, .host:
            return .notStarted
        }
    }

    /// Withdraws a launch during a shutdown; then `publish`. Returns false, and changes nothing, if
    /// the task was entered or its outcome is decided, since the launch would not call
    /// `stopConfirmed`.
    @inlinable package mutating func withdraw() -> Bool {
        guard !isEntered, !isClaimed else { return false }
        return stop(.shutdown) == .neverEntered
    }

    /// The second step of `stop`. Returns true if the task is stopped now: raise the expired event,
    /// start the grace, have a deadline thread call the callback, then call `callbackReturned`.
    /// Returns false if the task was completed meanwhile.
    @inlinable package mutating func stopConfirmed(_ reason: StopReason) -> Bool {
        guard !isClaimed else {
            word &= ~Self.callingBit
            settle()
            return false
        }
        word |= UInt64(reason.rawValue) << Self.reasonShift
        return true
    }

    /// The expiration callback has returned.
    @inlinable package mutating func callbackReturned() {
        word &= ~Self.callingBit
        settle()
    }

    /// Gives the worker up after the second limit that follows the grace. Returns true if the
    /// worker is still inside the function.
    @inlinable package mutating func lose() -> Bool {
        guard isEntered, !isReturned, !isLost else { return false }
        word |= Self.lostBit
        return true
    }

    // MARK: Pausing

    @usableFromInline package enum HoldAction: Equatable, Sendable {
        case done
        case already
        case wrongState
    }

    /// Pauses the task for the embedder.
    @inlinable package mutating func hold() -> HoldAction {
        guard !isClaimed else { return .already }
        guard !isEntered else { return .wrongState }
        word |= Self.heldBit
        return .done
    }

    @usableFromInline package enum ResumeAction: Equatable, Sendable {
        /// The task is still in its queue.
        case done
        /// The task was taken from its queue: append it again.
        case requeue
        case already
        case wrongState
    }

    /// Resumes the task for the embedder.
    @inlinable package mutating func resume() -> ResumeAction {
        guard !isClaimed else { return .already }
        guard isHeld else { return .wrongState }
        let parked = word & Self.parkedBit != 0
        word &= ~(Self.heldBit | Self.parkedBit)
        return parked ? .requeue : .done
    }

    /// The queue had no room for a resumed task, which stays parked. Returns false if it was
    /// cancelled or interrupted meanwhile; it is in no queue, so no worker will skip it.
    @inlinable package mutating func requeueFailed() -> Bool {
        guard !isClaimed else {
            word |= Self.returnedBit
            settle()
            return false
        }
        word |= Self.heldBit | Self.parkedBit
        return true
    }

    // MARK: Events and references

    /// Notes that the plugin raises an event. Returns false once the outcome is decided.
    @inlinable package mutating func raise() -> Bool {
        guard isEntered, !isClaimed else { return false }
        word |= Self.raisedBit
        return true
    }

    /// Notes that the host has queued an event about the task, which the done event must follow.
    /// The caller holds the lock that orders the task's events.
    @inlinable package mutating func noteRaised() { word |= Self.raisedBit }

    /// Keeps the slot from being freed during one call. Returns false if too many calls do; try
    /// again.
    @inlinable package mutating func pin() -> Bool {
        guard word & Self.pinMask != Self.pinMask else { return false }
        word &+= 1 << Self.pinShift
        return true
    }

    @inlinable package mutating func unpin() {
        precondition(word & Self.pinMask != 0, "a pin is taken before it is given back")
        word &-= 1 << Self.pinShift
        settle()
    }

    @inlinable package mutating func keepForPlugin() -> Bool {
        guard pluginReferences < Self.pluginReferenceLimit else { return false }
        word &+= 1 << Self.pluginShift
        return true
    }

    @usableFromInline package enum ReleaseAction: Equatable, Sendable {
        case done
        /// The last reference of a pending task went: it is claimed, `publish`.
        case abandoned
        /// The caller has no reference to release.
        case wrongState
    }

    /// Releases a reference of the plugin: one that it took, or, if none is left, the one from
    /// pending.
    @inlinable package mutating func releaseForPlugin() -> ReleaseAction {
        if pluginReferences > 0 {
            word &-= 1 << Self.pluginShift
            settle()
            return .done
        }
        guard isEntered, isReturned, !isClaimed else { return .wrongState }
        // No code can complete the task any more, so that a stopped task ends with the outcome of
        // its reason.
        claim(as: reason?.outcome ?? .abandoned)
        return .abandoned
    }

    @inlinable package mutating func keepForEmbedder() -> Bool {
        guard embedderReferences < Self.embedderReferenceLimit else { return false }
        word &+= 1 << Self.embedderShift
        return true
    }

    /// Releases a reference of the embedder. Returns false if it has none.
    @inlinable package mutating func releaseForEmbedder() -> Bool {
        guard embedderReferences > 0 else { return false }
        word &-= 1 << Self.embedderShift
        settle()
        return true
    }

    // MARK: -

    @usableFromInline mutating func claim(answering success: Bool) {
        if let reason {
            word |= Self.answeredBit
            claim(as: reason.outcome)
        } else {
            claim(as: success ? .succeeded : .failed)
        }
    }

    @usableFromInline mutating func claim(as outcome: Outcome) {
        word |= Self.claimedBit | UInt64(outcome.rawValue) << Self.outcomeShift
    }

    /// Frees the task if nothing is left of it.
    @inlinable mutating func settle() {
        let needed = Self.returnedBit | Self.publishedBit
        let inUse =
            Self.doneQueuedBit | Self.callingBit | Self.pinMask | Self.pluginMask
            | Self.embedderMask
        guard word & needed == needed, word & inUse == 0 else { return }
        self = TaskStateMachine(generation: generation &+ 1)
    }
}
