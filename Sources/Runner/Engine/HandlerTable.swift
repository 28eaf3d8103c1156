// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Scheduling
import Synchronization

/// The handlers of a host, by index and by identifier, to look up without a lock.
///
/// Handlers are only added, and stay for the life of the host.
package final class HandlerTable: @unchecked Sendable {
    // Sendable: an entry is written before the count is raised, by one thread at a time, and is
    // constant then; the rest is atomic.

    /// Handlers that there may be.
    static let limit = 1 << 14

    struct Entry: ~Copyable {
        /// The address of the queue; 0 until the handler is added.
        let queue: Atomic<UInt>
        let record: Unmanaged<HandlerRecord>
    }

    /// One for each index below the limit, all zero until the handler is added.
    let entries: UnsafeMutablePointer<Entry>
    private let count = Atomic<UInt32>(0)
    private let identifiers = NameIndex()

    private static var bytes: UInt64 { UInt64(limit * MemoryLayout<Entry>.stride) }

    /// Only what is used costs memory. Returns nil when there is no address space.
    init?() {
        guard let memory = csys_map(Self.bytes) else { return nil }
        entries = memory.bindMemory(to: Entry.self, capacity: Self.limit)
    }

    deinit {
        for index in 0..<Int(count.load(ordering: .relaxed)) { entries[index].record.release() }
        csys_unmap(entries, Self.bytes)
    }

    /// All of them, in the order in which they were added.
    package var all: [HandlerRecord] { (0..<count.load(ordering: .acquiring)).map { self[$0] } }

    /// A handler by an index that was given out.
    subscript(index: UInt32) -> HandlerRecord {
        entries[Int(index)].record.takeUnretainedValue()
    }

    /// A handler by an index that was given out, without counting a reference.
    @inline(__always) func unretained(_ index: UInt32) -> Unmanaged<HandlerRecord> {
        entries[Int(index)].record
    }

    /// A handler by any index; nil where there is none.
    package func find(_ index: UInt32) -> HandlerRecord? {
        index < count.load(ordering: .acquiring) ? self[index] : nil
    }

    package func find(_ identifier: String) -> HandlerRecord? {
        identifiers.find(identifier).map { self[$0] }
    }

    /// The index of the handler whose identifier is a NUL-terminated text.
    package func index(of identifier: UnsafePointer<CChar>) -> UInt32? {
        identifiers.find(UnsafeRawBufferPointer(start: identifier, count: strlen(identifier)))
    }

    /// The index that the next handler gets; nil where as many are there as may be.
    func nextIndex(of more: Int) -> UInt32? {
        let count = count.load(ordering: .relaxed)
        return Int(count) + more <= Self.limit ? count : nil
    }

    /// Adds the handler of the next index. One thread at a time, and keeping to the limit.
    func add(_ record: HandlerRecord) {
        let index = count.load(ordering: .relaxed)
        (entries + Int(index)).initialize(
            to: Entry(queue: Atomic(0), record: Unmanaged.passRetained(record)))
        entries[Int(index)].queue.store(UInt(bitPattern: record.queue), ordering: .releasing)
        count.store(index + 1, ordering: .releasing)
        identifiers.add(
            UnsafeRawBufferPointer(
                start: record.identifierText, count: record.description.identifier.utf8.count),
            index)
    }
}
