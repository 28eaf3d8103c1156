// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Runner

/// The lock of a process is one for all hosts: a number that no host has stands for each here.
@Suite("The lock under which plugins are loaded", .serialized)
struct LoadLockTests {
    private static let (first, second): (UInt32, UInt32) = (.max, .max - 1)

    /// A thread that acquires the lock for `second`, and sleeps until it gets it.
    private func waiting(
        _ looks: Guarded<Int>, unless isFutile: @escaping @Sendable () -> Bool = { false }
    ) -> Side<LoadLock.Acquisition> {
        let side = Side {
            let acquisition = LoadLock.acquire(for: Self.second) {
                looks.change { $0 += 1 }
                return isFutile()
            }
            LoadLock.release(of: Self.second)
            return acquisition
        }
        #expect(looks.wait { $0 > 0 })
        #expect(side.waitUntilAsleep())
        return side
    }

    @Test("a waiting thread sleeps until the lock is released")
    func sleeping() {
        #expect(LoadLock.acquire(for: Self.first) { false } == .acquired)
        let looks = Guarded(0)
        let other = waiting(looks)
        #expect(!looks.wait(within: 0.3) { $0 > 1 })
        LoadLock.release(of: Self.first)
        #expect(other.join() == .acquired)
        #expect(looks.value == 2)
    }

    @Test("a release wakes a waiting thread at once")
    func released() {
        let began = SuspendingClock.now
        for _ in 0..<20 {
            #expect(LoadLock.acquire(for: Self.first) { false } == .acquired)
            let other = waiting(Guarded(0))
            LoadLock.release(of: Self.first)
            #expect(other.join() == .acquired)
        }
        // Without the wake each of them would last a second.
        #expect(SuspendingClock.now - began < .seconds(10))
    }

    @Test("a wait that has become futile ends when it is woken, and only then")
    func givenUp() {
        #expect(LoadLock.acquire(for: Self.first) { false } == .acquired)
        let began = SuspendingClock.now
        for _ in 0..<20 {
            let isFutile = Guarded(false)
            let looks = Guarded(0)
            let other = waiting(looks) { isFutile.value }
            isFutile.value = true
            LoadLock.wakeWaiters()
            #expect(other.join() == .givenUp)
            #expect(looks.value <= 2)
        }
        // Without the wake each of them would last a second.
        #expect(SuspendingClock.now - began < .seconds(10))
        LoadLock.release(of: Self.first)
    }

    @Test("a thread that has the lock does not get it again, for any host")
    func recursive() {
        #expect(LoadLock.acquire(for: Self.first) { false } == .acquired)
        #expect(LoadLock.acquire(for: Self.second) { false } == .recursive)
        LoadLock.release(of: Self.second)
        #expect(LoadLock.acquire(for: Self.second) { false } == .recursive)
        LoadLock.release(of: Self.first)
    }

    @Test("another thread releases the lock of a load that does not return")
    func stuck() {
        let mayReturn = Signal()
        let isHeld = Signal()
        let stuck = Side {
            _ = LoadLock.acquire(for: Self.first) { false }
            isHeld.send()
            _ = mayReturn.wait()
            LoadLock.release(of: Self.first)
        }
        #expect(isHeld.wait())
        let other = waiting(Guarded(0))
        LoadLock.release(of: Self.first)
        #expect(other.join() == .acquired)
        #expect(LoadLock.acquire(for: Self.second) { false } == .acquired)
        mayReturn.send()
        #expect(stuck.join() != nil)
        // Still held by this thread.
        #expect(LoadLock.acquire(for: Self.second) { false } == .recursive)
        LoadLock.release(of: Self.second)
    }

    @Test("the lock of a thread that ends is free, also for a thread that waits already")
    func endedThread() {
        let isHeld = Signal()
        let mayEnd = Signal()
        let holder = Side {
            _ = LoadLock.acquire(for: Self.first) { false }
            isHeld.send()
            _ = mayEnd.wait()
        }
        #expect(isHeld.wait())
        let other = waiting(Guarded(0))
        mayEnd.send()
        #expect(holder.join() != nil)
        #expect(other.join() == .acquired)
    }

    @Test("each of many threads gets the lock, one at a time")
    func manyThreads() async {
        let inside = Guarded(0)
        let most = Guarded(0)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                let host = Self.second - UInt32(number)
                group.addTask {
                    for _ in 0..<2_000 {
                        guard LoadLock.acquire(for: host, unless: { false }) == .acquired else {
                            return
                        }
                        let now = inside.change { inside -> Int in
                            inside += 1
                            return inside
                        }
                        most.change { $0 = max($0, now) }
                        sched_yield()
                        inside.change { $0 -= 1 }
                        LoadLock.release(of: host)
                    }
                }
            }
        }
        #expect(most.value == 1)
    }
}
