// SPDX-License-Identifier: Apache-2.0

/// A timing wheel with O(1) arm and disarm.
///
/// A hierarchical timing wheel (Varghese and Lauck, 1987) over keys that are small integers: eight
/// levels of 64 buckets, a tick of 2^20 ns (about 1 ms). A deadline's level is the highest digit in
/// which its tick differs from the current one. Entries of the current tick are in a heap ordered
/// by the exact deadline, so that no entry is early and none waits for the end of its tick. Every
/// entry in the heap is earlier than every entry in a bucket.
@usableFromInline
package struct TimingWheel: Sendable {
    /// An armed deadline, which is returned when it is due.
    @usableFromInline package struct Entry: Equatable, Sendable {
        @usableFromInline package let key: UInt32
        /// A value of the caller.
        @usableFromInline package let value: UInt64
        @usableFromInline package let deadline: UInt64

        @inlinable package init(key: UInt32, value: UInt64, deadline: UInt64) {
            self.key = key
            self.value = value
            self.deadline = deadline
        }
    }

    private struct Node {
        var deadline: UInt64 = 0
        var value: UInt64 = 0
        var next: Int32 = -1
        var previous: Int32 = -1
        /// `idle`, a bucket 0…511, or `heapBase` plus the index in the heap.
        var place: Int32 = idle
    }

    private static let idle: Int32 = -1
    private static let heapBase: Int32 = 1024
    private static let tickShift: UInt64 = 20
    /// The number of levels covers all ticks, 44 bits: with fewer, a deadline past the last level
    /// would be in a bucket with nearer ones and could hide those that are armed after it.
    private static let levels = 8

    private var nodes: [Node] = []
    // Stored inline, so that they are never shared and a write needs no uniqueness check: 64 for
    // each level, and the levels.
    private var heads = InlineArray<512, Int32>(repeating: -1)
    private var occupied = InlineArray<8, UInt64>(repeating: 0)
    private var heap: [UInt32] = []
    private var current: UInt64

    package private(set) var count = 0

    /// Creates an empty wheel at a time in nanoseconds.
    package init(now: UInt64) { current = now >> Self.tickShift }

    /// The time of the next look: never later than the earliest deadline, and not before an entry
    /// moves; nil if no deadline is armed.
    package var next: UInt64? {
        if let first = heap.first { return nodes[Int(first)].deadline }
        return earliestBucket().map { $0.tick << Self.tickShift }
    }

    /// Arms a deadline, in place of an older one of the same key.
    package mutating func arm(_ entry: Entry) {
        if Int(entry.key) >= nodes.count {
            let room = max(Int(entry.key) + 1, nodes.count * 2, 64)
            nodes.append(contentsOf: repeatElement(Node(), count: room - nodes.count))
        }
        _ = disarm(entry.key)
        link(entry.key, entry.deadline, value: entry.value)
        count += 1
    }

    /// Disarms `key`. Returns false if no deadline was armed for it.
    @discardableResult
    package mutating func disarm(_ key: UInt32) -> Bool {
        guard Int(key) < nodes.count, nodes[Int(key)].place != Self.idle else { return false }
        unlink(key)
        count -= 1
        return true
    }

    /// Disarms `key` if it is still armed with `value`.
    @discardableResult
    package mutating func disarm(_ key: UInt32, value: UInt64) -> Bool {
        guard Int(key) < nodes.count, nodes[Int(key)].value == value else { return false }
        return disarm(key)
    }

    /// Removes and returns one entry whose deadline is not after `now`, the earliest of its tick
    /// first.
    package mutating func popDue(now: UInt64) -> Entry? {
        advance(to: now >> Self.tickShift)
        guard let first = heap.first, nodes[Int(first)].deadline <= now else { return nil }
        let node = nodes[Int(first)]
        unlink(first)
        count -= 1
        return Entry(key: first, value: node.value, deadline: node.deadline)
    }

    // MARK: Levels

    private mutating func advance(to target: UInt64) {
        while let bucket = earliestBucket(), bucket.tick <= target {
            current = max(current, bucket.tick)
            var key = heads[bucket.index]
            heads[bucket.index] = -1
            occupied[bucket.index / 64] &= ~(1 << UInt64(bucket.index % 64))
            while key >= 0 {
                let next = nodes[Int(key)].next
                nodes[Int(key)].place = Self.idle
                link(UInt32(key), nodes[Int(key)].deadline, value: nodes[Int(key)].value)
                key = next
            }
        }
        current = max(current, target)
    }

    /// The earliest bucket with entries. An entry of a level shares all higher digits with the
    /// current tick, so a lower level is always earlier.
    private func earliestBucket() -> (index: Int, tick: UInt64)? {
        for level in 0..<Self.levels where occupied[level] != 0 {
            let digit = occupied[level].trailingZeroBitCount
            let shift = UInt64(6 * level)
            let tick = (current >> (shift + 6)) << (shift + 6) | UInt64(digit) << shift
            return (level * 64 + digit, tick)
        }
        return nil
    }

    private mutating func link(_ key: UInt32, _ deadline: UInt64, value: UInt64) {
        let tick = deadline >> Self.tickShift
        if tick <= current {
            heap.append(key)
            nodes[Int(key)].value = value
            nodes[Int(key)].deadline = deadline
            nodes[Int(key)].place = Self.heapBase + Int32(heap.count - 1)
            siftUp(heap.count - 1)
            return
        }
        let level = (63 - (tick ^ current).leadingZeroBitCount) / 6
        let digit = Int(tick >> UInt64(6 * level)) & 63
        let bucket = level * 64 + digit
        let head = heads[bucket]
        // One access for all writes: separate accesses would each check uniqueness.
        nodes.withUnsafeMutableBufferPointer { nodes in
            nodes[Int(key)].value = value
            nodes[Int(key)].deadline = deadline
            nodes[Int(key)].next = head
            nodes[Int(key)].previous = -1
            nodes[Int(key)].place = Int32(bucket)
            if head >= 0 { nodes[Int(head)].previous = Int32(key) }
        }
        heads[bucket] = Int32(key)
        occupied[level] |= 1 << UInt64(digit)
    }

    private mutating func unlink(_ key: UInt32) {
        let node = nodes.withUnsafeMutableBufferPointer { nodes in
            let node = nodes[Int(key)]
            nodes[Int(key)].place = Self.idle
            guard node.place < Self.heapBase else { return node }
            if node.previous >= 0 { nodes[Int(node.previous)].next = node.next }
            if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
            return node
        }
        if node.place >= Self.heapBase {
            removeFromHeap(Int(node.place - Self.heapBase))
            return
        }
        guard node.previous < 0 else { return }
        let bucket = Int(node.place)
        heads[bucket] = node.next
        if node.next < 0 { occupied[bucket / 64] &= ~(1 << UInt64(bucket % 64)) }
    }

    // MARK: The heap of the current tick

    private mutating func removeFromHeap(_ place: Int) {
        let last = heap.removeLast()
        guard place < heap.count else { return }
        set(place, last)
        siftUp(place)
        siftDown(Int(nodes[Int(last)].place - Self.heapBase))
    }

    private mutating func set(_ place: Int, _ key: UInt32) {
        heap[place] = key
        nodes[Int(key)].place = Self.heapBase + Int32(place)
    }

    private func deadline(at place: Int) -> UInt64 { nodes[Int(heap[place])].deadline }

    private mutating func siftUp(_ start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard deadline(at: place) < deadline(at: parent) else { return }
            let (a, b) = (heap[place], heap[parent])
            set(place, b)
            set(parent, a)
            place = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < heap.count && deadline(at: child) < deadline(at: least) {
                least = child
            }
            guard least != place else { return }
            let (a, b) = (heap[place], heap[least])
            set(place, b)
            set(least, a)
            place = least
        }
    }
}
