// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// How much the process holds of what runs out, at one moment.
struct Holdings {
    /// Bytes that the C library's allocator has given out.
    private let heap = Int64(clamping: csys_heap_bytes())
    /// Bytes of the address space.
    private let mapped = Int64(clamping: ProcessFacts.mappedBytes)
    private let descriptors = ProcessFacts.numbers(in: "/proc/self/fd").count
    private let threads = ProcessFacts.numbers(in: "/proc/self/task").count
    /// Keys of thread-local data that nobody has.
    private let keys = Int(csys_free_thread_keys())

    /// What many tasks have kept: of memory in bytes per task, of the others in all of them.
    struct Growth {
        private(set) var heap = Int64.max
        private(set) var mapped = Int64.max
        private(set) var descriptors = Int.max
        private(set) var threads = Int.max
        private(set) var keys = Int.max

        /// Tasks that keep nothing grow by less now and then: an event that is not delivered yet has
        /// memory, and a list grows.
        private static let (heapLimit, mappedLimit): (Int64, Int64) = (24, 64)

        /// Takes the smaller number of each.
        mutating func reduce(to other: Growth) {
            heap = min(heap, other.heap)
            mapped = min(mapped, other.mapped)
            descriptors = min(descriptors, other.descriptors)
            threads = min(threads, other.threads)
            keys = min(keys, other.keys)
        }

        /// What grows, worded to follow "keeps"; nil if nothing does.
        var text: String? {
            if heap >= Self.heapLimit { return "about \(heap) bytes of memory per task" }
            if descriptors > 0 { return "descriptors open, one task in so many" }
            if threads > 0 { return "threads running, one task in so many" }
            if keys > 0 { return "keys of thread-local data (pthread_key_create)" }
            if mapped >= Self.mappedLimit { return "about \(mapped) bytes mapped per task" }
            return nil
        }

        fileprivate init(
            heap: Int64, mapped: Int64, descriptors: Int, threads: Int, keys: Int
        ) {
            (self.heap, self.mapped, self.keys) = (heap, mapped, keys)
            (self.descriptors, self.threads) = (descriptors, threads)
        }

        init() {}
    }

    /// Returns what so many tasks since then have kept.
    func growth(over tasks: Int) -> Growth {
        let now = Holdings()
        return Growth(
            heap: (now.heap - heap) / Int64(tasks), mapped: (now.mapped - mapped) / Int64(tasks),
            descriptors: now.descriptors - descriptors, threads: now.threads - threads,
            // Where there are none left, no more can be kept.
            keys: now.keys == 0 ? max(1, keys) : keys - now.keys)
    }
}
