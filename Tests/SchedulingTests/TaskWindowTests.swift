// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Scheduling

@Suite("The tasks that are offered to a process")
struct TaskWindowTests {
    @Test("as many have their turn as may run at a time, in order")
    func turns() {
        var window = TaskWindow(limit: 8, places: 2)
        for task in 1...5 as ClosedRange<UInt64> { _ = window.offer(task) }
        #expect(turns(of: &window) == [1, 2])
        window.remove(1)
        #expect(turns(of: &window) == [3])
        // One that has no turn yet is recalled.
        window.remove(3)
        #expect(turns(of: &window) == [])
        window.remove(0)
        #expect(turns(of: &window) == [5])
        window.remove(2)
        window.remove(4)
        #expect(window.isEmpty)
        #expect(window.hasRoom)
    }

    @Test("a task that was found taken before its turn has begun, and gets no other turn")
    func takenEarly() {
        var window = TaskWindow(limit: 8, places: 1)
        for task in 1...3 as ClosedRange<UInt64> { _ = window.offer(task) }
        #expect(turns(of: &window) == [1])
        window.take(1)
        window.remove(0)
        #expect(turns(of: &window) == [])
        // Its place is not another one's.
        window.remove(1)
        #expect(turns(of: &window) == [3])
    }

    private func turns(of window: inout TaskWindow) -> [UInt64] {
        var tasks: [UInt64] = []
        while let turn = window.nextTurn() { tasks.append(turn.task) }
        return tasks
    }

    @Test("a position is used again once its task and all before it are gone")
    func positions() {
        var window = TaskWindow(limit: 4, places: 1)
        for task in 1...4 as ClosedRange<UInt64> { _ = window.offer(task) }
        #expect(!window.hasRoom)
        window.remove(2)
        #expect(!window.hasRoom)
        #expect(window[2] == nil)
        window.remove(0)
        #expect(window.hasRoom)
        let position = window.offer(5)
        #expect(position == 4)
        #expect(window.position(of: 5) == 4)
        #expect(window.position(of: 1) == nil)
        #expect(window[0] == nil)
        #expect(window[4]?.task == 5)
        window.take(4)
        #expect(window[4]?.state == .taken)
    }

    @Test("whatever the order of its steps, a window agrees with a plain list of its tasks")
    func model() {
        var random = SeededGenerator(seed: 22)
        for _ in 0..<200 {
            let places = Int.random(in: 1...4, using: &random)
            var window = TaskWindow(limit: 16, places: places)
            var list: [(task: UInt64, position: UInt64, hadTurn: Bool)] = []
            var next: UInt64 = 1
            for _ in 0..<200 {
                switch Int.random(in: 0..<3, using: &random) {
                case 0 where window.hasRoom:
                    list.append((next, window.offer(next), false))
                    next += 1
                case 1:
                    guard let place = list.indices.randomElement(using: &random) else { continue }
                    window.remove(list.remove(at: place).position)
                default: break
                }
                // The model: the first places of those that are there have had their turn, and those
                // that had it keep it.
                while let turn = window.nextTurn() {
                    let place = list.firstIndex { $0.position == turn.position }
                    #expect(place != nil)
                    if let place { list[place].hadTurn = true }
                }
                #expect(list.count { $0.hadTurn } == min(places, list.count))
                #expect(window.count == list.count)
                #expect(window.all.map(\.task) == list.map(\.task))
            }
        }
    }
}

@Suite("The chunks of an arena")
struct ChunkAllocatorTests {
    @Test("chunks do not overlap, hold what was asked for, and are reused")
    func chunks() throws {
        var random = SeededGenerator(seed: 4)
        var allocator = ChunkAllocator(from: 4_096, bytes: 1 << 20)
        var held: [(at: UInt64, bytes: UInt64)] = []
        var allocations = 0
        for _ in 0..<5_000 {
            if Bool.random(using: &random), let place = held.indices.randomElement(using: &random) {
                let chunk = held.remove(at: place)
                allocator.release(chunk.at, chunk.bytes)
                continue
            }
            let bytes = UInt64.random(in: 1...20_000, using: &random)
            guard let at = allocator.allocate(bytes) else { continue }
            #expect(at >= 4_096 && at + bytes <= 4_096 + 1 << 20)
            #expect(held.allSatisfy { at >= $0.at + $0.bytes || at + bytes <= $0.at })
            held.append((at, bytes))
            allocations += 1
        }
        #expect(allocations > 1_000)
    }

    @Test("what does not fit is refused, at the size of the arena too")
    func full() {
        var allocator = ChunkAllocator(from: 0, bytes: 1 << 12)
        for bytes in [1 << 12 + 1, 1 << 40, .max] as [UInt64] {
            let chunk = allocator.allocate(bytes)
            #expect(chunk == nil)
        }
        let whole = allocator.allocate(1 << 12)
        #expect(whole == 0)
        let more = allocator.allocate(1)
        #expect(more == nil)
        allocator.release(0, 1 << 12)
        let again = allocator.allocate((1 << 12) - 1)
        #expect(again == 0)
    }
}
