// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import FoundationBackground

/// The rules by which an app is suspended, without an app.
@Suite("Assertions")
struct AssertionTests {
    private static let second: UInt64 = 1_000_000_000
    private var machine = AssertionStateMachine(
        budget: 30 * Self.second, grace: 5 * Self.second, most: 3)

    private mutating func begin(_ now: UInt64 = 0) throws -> UInt64 {
        guard case .granted(let id) = machine.begin(.task, "work", now) else {
            throw Missing()
        }
        return id
    }

    private struct Missing: Error {}

    @Test("S2.1, S2.2: in the background an assertion keeps the app running until it is ended")
    mutating func keepsRunning() throws {
        let id = try begin()
        machine.enterBackground(0)
        #expect(machine.settle() == [])
        #expect(machine.end(id) == [.suspend])
        #expect(machine.isSuspended)
    }

    @Test("S2.3: while the app is seen, nothing begins or ends")
    mutating func hasNoEffect() throws {
        let id = try begin()
        #expect(machine.alarm == nil)
        #expect(machine.remaining(.max) == nil)
        #expect(machine.tick(.max) == [])
        #expect(machine.end(id) == [])
        #expect(!machine.isSuspended)
    }

    @Test("S2.4: without an assertion the app is suspended once its delegate knows")
    mutating func isSuspended() {
        machine.enterBackground(0)
        #expect(!machine.isSuspended)
        #expect(machine.settle() == [.suspend])
        #expect(machine.begin(.task, "late", 0) == .late)
        #expect(machine.enterForeground() == [.resume])
    }

    @Test("S2.10: only the end of the last one suspends the app")
    mutating func lastOne() throws {
        let (a, b) = (try begin(), try begin())
        machine.enterBackground(0)
        _ = machine.settle()
        #expect(machine.end(a) == [])
        #expect(machine.end(a) == nil)
        #expect(machine.end(b) == [.suspend])
    }

    @Test("S2.11: all assertions share one expiry, whenever they began")
    mutating func oneExpiry() throws {
        let first = try begin()
        machine.enterBackground(7)
        _ = machine.settle()
        let second = try begin(20 * Self.second)
        #expect(machine.alarm == 30 * Self.second + 7)
        #expect(machine.remaining(10 * Self.second + 7) == 20 * Self.second)
        #expect(machine.tick(30 * Self.second) == [])
        #expect(machine.tick(30 * Self.second + 7) == [.expireTasks])
        #expect(machine.nextTask() == first)
        #expect(machine.nextTask() == second)
        #expect(machine.nextTask() == nil)
    }

    @Test("S2.14: an assertion that is ended before its turn is not told to end")
    mutating func endedBefore() throws {
        let (a, b) = (try begin(), try begin())
        machine.enterBackground(0)
        _ = machine.settle()
        #expect(machine.tick(30 * Self.second) == [.expireTasks])
        #expect(machine.end(a) == [])
        #expect(machine.nextTask() == b)
        #expect(machine.end(b) == [.suspend])
        machine.returned(b)
        #expect(machine.count == 0)
    }

    @Test("Who is seen again in the midst of it is not told any more")
    mutating func seenAgain() throws {
        _ = try begin()
        machine.enterBackground(0)
        _ = machine.settle()
        _ = machine.tick(30 * Self.second)
        #expect(machine.enterForeground() == [])
        #expect(machine.nextTask() == nil)
        #expect(machine.count == 1)
    }

    @Test("Who does not end in the grace is named, and not counted any more")
    mutating func overruns() throws {
        let id = try begin()
        guard case .granted(let activity) = machine.begin(.activity, "share", 0) else {
            throw Missing()
        }
        machine.enterBackground(0)
        _ = machine.settle()
        #expect(machine.tick(30 * Self.second) == [.expireActivity(activity), .expireTasks])
        _ = machine.nextTask()
        machine.returned(id)
        #expect(machine.tick(35 * Self.second - 1) == [])
        #expect(
            machine.tick(35 * Self.second) == [
                .overran([
                    AssertionOverrun(id: id, kind: .task, name: "work", handlerReturned: true),
                    AssertionOverrun(
                        id: activity, kind: .activity, name: "share", handlerReturned: false),
                ]), .suspend,
            ])
        #expect(machine.end(id) == nil)
    }

    @Test("There is a most of them")
    mutating func most() throws {
        for _ in 0..<3 { _ = try begin() }
        #expect(machine.begin(.task, "one more", 0) == .tooMany)
    }

    @Test("A launch wakes a suspended app up, with time of its own")
    mutating func launch() throws {
        machine.enterBackground(0)
        _ = machine.settle()
        #expect(machine.wake(100 * Self.second) == [.resume])
        let id = try begin(101 * Self.second)
        #expect(machine.rest() == [])
        #expect(machine.end(id) == [.suspend])
    }

    /// What can happen to it.
    private enum Input: CaseIterable {
        case begin, beginActivity, end, hide, settle, show, alarm, little, next, wake, rest
    }

    /// What has happened so far.
    private struct Walk {
        var machine = AssertionStateMachine(budget: 30, grace: 5, most: 3)
        var now: UInt64 = 0
        var open: [UInt64] = []
        var named: Set<UInt64> = []
        var launches = 0
        var isSeen = true
        var suspended = false

        mutating func take(_ input: Input) {
            switch input {
            case .begin: begin(.task)
            case .beginActivity: begin(.activity)
            case .end:
                guard let id = open.first else { return }
                open.removeFirst()
                heard(machine.end(id) ?? [])
            case .hide:
                machine.enterBackground(now)
                isSeen = false
            case .settle: heard(machine.settle())
            case .show:
                heard(machine.enterForeground())
                isSeen = true
            case .alarm:
                now = max(now, machine.alarm ?? now)
                heard(machine.tick(now))
            case .little:
                now += 1
                heard(machine.tick(now))
            case .next:
                guard let id = machine.nextTask() else { return }
                #expect(named.insert(id).inserted, "named twice")
                #expect(open.contains(id))
            case .wake:
                launches += 1
                heard(machine.wake(now))
            case .rest:
                launches = max(0, launches - 1)
                heard(machine.rest())
            }
        }

        private mutating func begin(_ kind: AssertionKind) {
            let mayBegin = isSeen || (machine.remaining(now) ?? 0) > 0
            switch machine.begin(kind, "", now) {
            case .granted(let id):
                open.append(id)
                if !mayBegin || open.count > 3 { Issue.record("granted") }
            case .late: if mayBegin { Issue.record("late") }
            case .tooMany: if open.count < 3 { Issue.record("too many") }
            }
        }

        private mutating func heard(_ actions: [AssertionAction]) {
            for action in actions {
                switch action {
                case .suspend:
                    if suspended { Issue.record("suspended twice") }
                    suspended = true
                case .resume:
                    if !suspended { Issue.record("resumed twice") }
                    suspended = false
                case .overran(let left): open.removeAll { id in left.contains { $0.id == id } }
                case .expireTasks, .expireActivity: if isSeen { Issue.record("expired when seen") }
                }
            }
        }

        var isRight: Bool {
            suspended == machine.isSuspended && open.count == machine.count
                && !(suspended && (isSeen || launches > 0 || !open.isEmpty))
                && (isSeen ? machine.alarm == nil && machine.remaining(now) == nil : true)
                && (machine.alarm.map { $0 > now } ?? true || !open.isEmpty || !isSeen)
        }
    }

    @Test("Whatever happens in whatever order, it stays consistent")
    func everyOrder() {
        var count = 0
        func go(_ walk: Walk, _ path: [Input]) {
            count += 1
            if !walk.isRight { Issue.record("\(path): \(walk)") }
            guard path.count < 5 else { return }
            for input in Input.allCases {
                var next = walk
                next.take(input)
                go(next, path + [input])
            }
        }
        go(Walk(), [])
        #expect(count == 177_156)
    }
}
