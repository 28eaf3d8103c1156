// SPDX-License-Identifier: Apache-2.0

import Testing

/// Threads that sleep until another one has done something: no wake-up is lost in any order.
@Suite("Sleeping and waking, in every order")
struct SleepingModelTests {
    // MARK: An event count

    struct Count {
        var word: UInt64 = 0
        var isOver = false
    }

    /// `Sleepers`: say so, look, sleep on the word; the other side makes it so, then looks and wakes.
    private func sleeper(looksAfter: Bool) -> [Interleavings<Count>.Step] {
        let prepare: Interleavings<Count>.Step = { shared, local in
            shared.word |= 1
            local.registers["word"] = shared.word
        }
        let look: Interleavings<Count>.Step = { shared, local in
            if shared.isOver { local.isOver = true }
        }
        let sleep: Interleavings<Count>.Step = { shared, local in
            if shared.word == local.registers["word"]! { local.sleepsOn = shared.word }
        }
        return (looksAfter ? [prepare, look] : [look, prepare]) + [sleep]
            + [{ shared, local in if !shared.isOver { local.registers["early"] = 1 } }]
    }

    private var waker: [Interleavings<Count>.Step] {
        [
            { shared, _ in shared.isOver = true },
            { shared, local in
                if shared.word & 1 == 0 { local.isOver = true }
            },
            { shared, _ in shared.word = (shared.word & ~1) + 2 },
        ]
    }

    private func explore(_ threads: [[Interleavings<Count>.Step]]) -> Interleavings<Count>.Result {
        Interleavings(Count(), threads, word: \.word) { _, locals in
            if locals.contains(where: { !$0.isOver }) { return "a thread sleeps for ever" }
            return nil
        }.explore()
    }

    @Test("one sleeper, and two")
    func eventCount() {
        #expect(explore([sleeper(looksAfter: true), waker]).fault == nil)
        #expect(
            explore([sleeper(looksAfter: true), sleeper(looksAfter: true), waker]).fault == nil)
    }

    @Test("a thread that looks before it says so would sleep for ever")
    func orderMatters() {
        #expect(
            explore([sleeper(looksAfter: false), waker]).fault?.what == "a thread sleeps for ever")
    }

    // MARK: The last place of a handler

    struct Queue {
        var waiting = 0
        var active = 1
        /// Workers called for it.
        var calls = 0
    }

    /// A launcher adds, then looks at the places; a worker that found nothing leaves its place, then
    /// looks at the queue.
    private func place(looksAgain: Bool) -> Interleavings<Queue>.Result {
        let launcher: [Interleavings<Queue>.Step] = [
            { shared, _ in shared.waiting += 1 },
            { shared, _ in
                if shared.active < 1 {
                    shared.active += 1
                    shared.calls += 1
                }
            },
        ]
        let worker: [Interleavings<Queue>.Step] = [
            { shared, local in
                if shared.waiting > 0 {
                    shared.waiting -= 1
                    local.next = 0
                }
            },
            { shared, _ in shared.active -= 1 },
            { shared, local in
                guard looksAgain, shared.waiting > 0 else {
                    local.isOver = true
                    return
                }
            },
            { shared, local in
                guard shared.active < 1 else {
                    local.isOver = true
                    return
                }
                shared.active += 1
                local.next = 0
            },
        ]
        return Interleavings(Queue(), [launcher, worker]) { shared, _ in
            shared.waiting > 0 && shared.calls == 0 ? "a task waits, and no worker comes" : nil
        }.explore()
    }

    @Test("a launch and a worker that leaves: one of the two sees the other")
    func lastPlace() {
        #expect(place(looksAgain: true).fault == nil)
    }

    @Test("without the worker's second look a task would wait for ever")
    func secondLookIsNeeded() {
        #expect(place(looksAgain: false).fault?.what == "a task waits, and no worker comes")
    }

    // MARK: A launch into a shutdown

    struct Life {
        var isOpen = true
        var queue = 0
        /// Seen by the shutdown, which interrupts it.
        var isInterrupted = false
        var isWithdrawn = false
    }

    private func launchIntoShutdown(looksAgain: Bool) -> Interleavings<Life>.Result {
        let launcher: [Interleavings<Life>.Step] = [
            { shared, local in if !shared.isOpen { local.isOver = true } },
            { shared, _ in shared.queue += 1 },
            { shared, _ in
                // One exchange on the task decides between the two.
                if looksAgain, !shared.isOpen, !shared.isInterrupted { shared.isWithdrawn = true }
            },
        ]
        let shutdown: [Interleavings<Life>.Step] = [
            { shared, _ in shared.isOpen = false },
            { shared, _ in
                if shared.queue > 0, !shared.isWithdrawn { shared.isInterrupted = true }
            },
        ]
        return Interleavings(Life(), [launcher, shutdown]) { shared, _ in
            shared.queue > 0 && !shared.isInterrupted && !shared.isWithdrawn
                ? "a task stays in the queue of a closed host" : nil
        }.explore()
    }

    @Test("a launch that comes into a shutdown is interrupted or taken back")
    func shutdown() {
        #expect(launchIntoShutdown(looksAgain: true).fault == nil)
        #expect(launchIntoShutdown(looksAgain: false).fault != nil)
    }

    // MARK: Ending a subscription

    struct Receiver {
        var isActive = true
        var current: UInt64 = 0
        var isInside = false
        var returns: UInt64 = 0
        var unsubscribing = 0
        var isFreed = false
        var usedAfterFree = false
    }

    /// `ActiveReceiver`: the loop says which receiver it enters, then looks whether it is active; a
    /// thread that unsubscribes makes it inactive, then waits while the loop is inside.
    private func unsubscribing(entersFirst: Bool) -> Interleavings<Receiver>.Result {
        let enter: Interleavings<Receiver>.Step = { shared, _ in shared.current = 1 }
        let look: Interleavings<Receiver>.Step = { shared, local in
            local.registers["active"] = shared.isActive ? 1 : 0
        }
        let loop: [Interleavings<Receiver>.Step] =
            (entersFirst ? [enter, look] : [look, enter]) + [
                { shared, local in
                    if local.registers["active"] == 1, shared.isFreed {
                        shared.usedAfterFree = true
                    }
                },
                { shared, _ in shared.current = 0 },
                { shared, _ in if shared.unsubscribing > 0 { shared.returns += 1 } },
            ]
        let other: [Interleavings<Receiver>.Step] = [
            { shared, _ in shared.isActive = false },
            { shared, _ in shared.unsubscribing += 1 },
            { shared, local in local.registers["returns"] = shared.returns },
            { shared, local in
                if shared.current == 0 {
                    shared.isFreed = true
                    local.isOver = true
                }
            },
            { shared, local in
                local.next = 2
                if shared.returns == local.registers["returns"]! { local.sleepsOn = shared.returns }
            },
        ]
        return Interleavings(Receiver(), [loop, other], word: \.returns) { shared, locals in
            if shared.usedAfterFree { return "a receiver is called after its subscription ended" }
            return locals.allSatisfy(\.isOver) ? nil : "unsubscribing never returns"
        }.explore()
    }

    @Test("a subscription that ends waits for its receiver, and no longer")
    func subscriptions() {
        #expect(unsubscribing(entersFirst: true).fault == nil)
        #expect(
            unsubscribing(entersFirst: false).fault?.what
                == "a receiver is called after its subscription ended")
    }

    // MARK: Losing the loop during a wait

    struct Loop {
        /// Whether the eventfd is readable; an event that was queued has made it so.
        var readable: UInt64 = 1
        var isOthers = false
        var sleepers = 0
        var isQueued = true
        /// The event that the first thread waits for was delivered.
        var isOver = false
    }

    /// `EventLoop.sleep`: a thread that waits says so, checks whether the loop is its own and whether
    /// its wait is over, and sleeps on the eventfd. Another one takes the loop, empties the eventfd
    /// and delivers the event.
    private func losingTheLoop(wakes: Bool, leavesReadable: Bool) -> Interleavings<Loop>.Result {
        let waiter: [Interleavings<Loop>.Step] = [
            { shared, _ in shared.sleepers += 1 },
            { shared, local in if shared.isOthers { local.isOver = true } },
            { shared, local in if shared.isOver { local.isOver = true } },
            { shared, local in if shared.readable == 0 { local.sleepsOn = 0 } },
            { shared, _ in shared.sleepers -= 1 },
        ]
        let other: [Interleavings<Loop>.Step] = [
            { shared, _ in shared.isOthers = true },
            { shared, _ in if wakes, shared.sleepers > 0 { shared.readable = 1 } },
            { shared, local in local.registers["sleepers"] = UInt64(shared.sleepers) },
            { shared, local in
                if !leavesReadable || local.registers["sleepers"] == 0 { shared.readable = 0 }
            },
            { shared, _ in if shared.isQueued { shared.isOver = true } },
        ]
        return Interleavings(Loop(), [waiter, other], word: \.readable) { _, locals in
            locals[0].isOver ? nil : "a thread sleeps for ever"
        }.explore()
    }

    @Test("a thread that waits learns that another one runs its loop")
    func losingTheLoop() {
        #expect(losingTheLoop(wakes: true, leavesReadable: true).fault == nil)
        for (wakes, leaves) in [(true, false), (false, false)] {
            #expect(
                losingTheLoop(wakes: wakes, leavesReadable: leaves).fault?.what
                    == "a thread sleeps for ever")
        }
    }
}
