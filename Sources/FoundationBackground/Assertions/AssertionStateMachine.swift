// SPDX-License-Identifier: Apache-2.0

/// Which assertions keep an app from being suspended, and for how long.
///
/// Assertions have no effect in the foreground. From the moment when the app enters the background
/// they share one time limit. When it is over, all are asked to end; those that have not ended
/// after the grace are logged by name, and the app is suspended. Without assertions the app is
/// suspended as soon as its delegate knows that it is in the background. A launch by the host, such
/// as a fetch, wakes the app with a time limit of its own.
///
/// Times are nanoseconds of one clock.
package struct AssertionStateMachine: Sendable {
    private enum Phase: Equatable {
        case seen
        case unseen(deadline: UInt64)
        /// All assertions were asked to end.
        case expiring(until: UInt64)
        /// The time is over, and something else keeps the app running.
        case spent
        case suspended
    }

    private struct Assertion {
        let kind: AssertionKind
        let name: String
        var isTold = false
        var hasReturned = false
    }

    /// The result of `begin`.
    package enum Begun: Equatable, Sendable {
        case granted(UInt64)
        /// The app is suspended, or its time is over.
        case late
        /// There are as many as may be.
        case tooMany
    }

    private let budget: UInt64
    private let grace: UInt64
    private let most: Int
    private var phase = Phase.seen
    private var assertions: [UInt64: Assertion] = [:]
    private var lastID: UInt64 = 0
    /// The delegate knows that the app is in the background.
    private var isSettled = true
    private var launches = 0

    package init(budget: UInt64, grace: UInt64, most: Int) {
        self.budget = budget
        self.grace = grace
        self.most = most
    }

    // MARK: What can be asked

    package var isSuspended: Bool { phase == .suspended }

    /// The number of open assertions.
    package var count: Int { assertions.count }

    /// When `tick` has something to do; nil: never.
    package var alarm: UInt64? {
        switch phase {
        case .seen, .spent, .suspended: nil
        case .unseen(let time), .expiring(let time): time
        }
    }

    /// Returns the remaining time; nil if it is unlimited, since the app is in the foreground.
    package func remaining(_ now: UInt64) -> UInt64? {
        switch phase {
        case .seen: nil
        case .unseen(let deadline): deadline > now ? deadline - now : 0
        case .expiring, .spent, .suspended: 0
        }
    }

    // MARK: Assertions

    package mutating func begin(_ kind: AssertionKind, _ name: String, _ now: UInt64) -> Begun {
        if let remaining = remaining(now), remaining == 0 { return .late }
        guard assertions.count < most else { return .tooMany }
        lastID += 1
        assertions[lastID] = Assertion(kind: kind, name: name)
        return .granted(lastID)
    }

    /// Returns nil if there is no such assertion.
    package mutating func end(_ id: UInt64) -> [AssertionAction]? {
        guard assertions.removeValue(forKey: id) != nil else { return nil }
        return look()
    }

    // MARK: Expiring

    /// Returns the next task whose handler has to be called; nil if there is none, or if the app is
    /// in the foreground again. Each is returned once.
    package mutating func nextTask() -> UInt64? {
        guard case .expiring = phase else { return nil }
        let next = assertions.filter { $0.value.kind == .task && !$0.value.isTold }.keys.min()
        if let next { assertions[next]?.isTold = true }
        return next
    }

    /// Its handler has returned.
    package mutating func returned(_ id: UInt64) { assertions[id]?.hasReturned = true }

    /// Time has passed.
    package mutating func tick(_ now: UInt64) -> [AssertionAction] {
        switch phase {
        case .unseen(let deadline) where now >= deadline: return expire(now)
        case .expiring(let until) where now >= until:
            let left = assertions.sorted { $0.key < $1.key }.map {
                AssertionOverrun(
                    id: $0.key, kind: $0.value.kind, name: $0.value.name,
                    handlerReturned: $0.value.hasReturned)
            }
            assertions = [:]
            return [.overran(left)] + look()
        default: return []
        }
    }

    private mutating func expire(_ now: UInt64) -> [AssertionAction] {
        guard !assertions.isEmpty else {
            phase = .spent
            return look()
        }
        phase = .expiring(until: Self.sum(now, grace))
        var actions: [AssertionAction] = []
        for (id, assertion) in assertions.sorted(by: { $0.key < $1.key })
        where assertion.kind == .activity && !assertion.isTold {
            assertions[id]?.isTold = true
            actions.append(.expireActivity(id))
        }
        if assertions.contains(where: { $0.value.kind == .task && !$0.value.isTold }) {
            actions.append(.expireTasks)
        }
        return actions
    }

    // MARK: The app's life

    /// The app is not seen any more; `settle` follows when its delegate knows.
    package mutating func enterBackground(_ now: UInt64) {
        guard phase == .seen else { return }
        isSettled = false
        phase = .unseen(deadline: Self.sum(now, budget))
    }

    /// Its delegate knows that it is in the background.
    package mutating func settle() -> [AssertionAction] {
        isSettled = true
        return look()
    }

    package mutating func enterForeground() -> [AssertionAction] {
        let wasSuspended = isSuspended
        phase = .seen
        isSettled = true
        return wasSuspended ? [.resume] : []
    }

    /// The host launches something in this app, which keeps it running until `rest`.
    package mutating func wake(_ now: UInt64) -> [AssertionAction] {
        launches += 1
        guard phase == .suspended || phase == .spent else { return [] }
        let wasSuspended = isSuspended
        phase = .unseen(deadline: Self.sum(now, budget))
        return wasSuspended ? [.resume] : []
    }

    /// Notes that the launch by the host is over.
    package mutating func rest() -> [AssertionAction] {
        launches = max(0, launches - 1)
        return look()
    }

    /// Suspends the app where nothing keeps it running.
    private mutating func look() -> [AssertionAction] {
        guard assertions.isEmpty else { return [] }
        switch phase {
        case .seen, .suspended: return []
        case .expiring: phase = .spent
        case .unseen, .spent: break
        }
        guard isSettled, launches == 0 else { return [] }
        phase = .suspended
        return [.suspend]
    }

    private static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}

/// The action that follows from an input of `AssertionStateMachine`.
package enum AssertionAction: Equatable, Sendable {
    /// Have the handlers of the tasks called on the main thread, one after the other, as `nextTask`
    /// names them.
    case expireTasks
    /// Call the block of this activity with true.
    case expireActivity(UInt64)
    /// These are still there; they are not counted any more.
    case overran([AssertionOverrun])
    /// The app is suspended.
    case suspend
    /// It goes on.
    case resume
}

/// The API that made the assertion.
package enum AssertionKind: Sendable {
    /// `beginBackgroundTask`: its handler is called on the main thread.
    case task
    /// `performExpiringActivity`: its block is called again, on a new thread.
    case activity
}

/// An assertion that was kept when all time was over.
package struct AssertionOverrun: Equatable, Sendable {
    package let id: UInt64
    package let kind: AssertionKind
    package let name: String
    /// Its handler was called and has returned, or it has none.
    package let handlerReturned: Bool
}
