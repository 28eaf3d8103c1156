// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Scheduling
import Synchronization

/// The handlers of a host, by index and by identifier, with lock-free lookup.
///
/// Handlers are added and never removed.
package final class HandlerTable: @unchecked Sendable {
    // Sendable: one thread at a time writes an entry, before it raises the count; entries are
    // constant afterwards; the rest is atomic.

    static let limit = 1 << 14

    struct Entry: ~Copyable {
        /// The address of the queue; 0 until the handler is added.
        let queue: Atomic<UInt>
        let record: Unmanaged<HandlerRecord>
    }

    /// One entry for each index below the limit, all zero until the handler is added.
    let entries: UnsafeMutablePointer<Entry>
    private let count = Atomic<UInt32>(0)
    private let identifiers = NameIndex()

    private static var bytes: UInt64 { UInt64(limit * MemoryLayout<Entry>.stride) }

    /// Maps memory that is committed on first use. Fails when no address space is left.
    init?() {
        guard let memory = csys_map(Self.bytes) else { return nil }
        entries = memory.bindMemory(to: Entry.self, capacity: Self.limit)
    }

    deinit {
        for index in 0..<Int(count.load(ordering: .relaxed)) { entries[index].record.release() }
        csys_unmap(entries, Self.bytes)
    }

    package var all: [HandlerRecord] { (0..<count.load(ordering: .acquiring)).map { self[$0] } }

    subscript(index: UInt32) -> HandlerRecord {
        entries[Int(index)].record.takeUnretainedValue()
    }

    /// Returns the handler at a valid index without retaining it.
    @inline(__always) func unretained(_ index: UInt32) -> Unmanaged<HandlerRecord> {
        entries[Int(index)].record
    }

    package func find(_ index: UInt32) -> HandlerRecord? {
        index < count.load(ordering: .acquiring) ? self[index] : nil
    }

    package func find(_ identifier: String) -> HandlerRecord? {
        identifiers.find(identifier).map { self[$0] }
    }

    /// Returns the index of a handler by its NUL-terminated identifier.
    package func index(of identifier: UnsafePointer<CChar>) -> UInt32? {
        identifiers.find(UnsafeRawBufferPointer(start: identifier, count: strlen(identifier)))
    }

    /// Returns the index of the next handler, or nil when `more` handlers exceed the limit.
    func nextIndex(of more: Int) -> UInt32? {
        let count = count.load(ordering: .relaxed)
        return Int(count) + more <= Self.limit ? count : nil
    }

    /// Adds the next handler. Called by one thread at a time, within the limit.
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
