// SPDX-License-Identifier: Apache-2.0
import CSystem
import Scheduling
import Synchronization

/// The handlers of a host, by index and by identifier: to look up without a lock.
///
/// Handlers are only added, and stay for the life of the host.
final class HandlerIndex: @unchecked Sendable {
    // Sendable: a record is written before the count is raised, by one thread at a time, and is
    // constant then; the rest is atomic.

    private let records: UnsafeMutablePointer<Unmanaged<HandlerRecord>?>
    private let bytes: UInt64
    private let count = Atomic<UInt32>(0)
    private let identifiers = NameIndex()

    /// Room for `limit`; only what is used costs memory. Nil when there is none to be had.
    init?(limit: Int) {
        bytes = UInt64(limit * MemoryLayout<Unmanaged<HandlerRecord>?>.stride)
        guard let memory = csys_map(bytes) else { return nil }
        records = memory.bindMemory(to: Unmanaged<HandlerRecord>?.self, capacity: limit)
    }

    deinit {
        for index in 0..<Int(count.load(ordering: .relaxed)) { records[index]?.release() }
        csys_unmap(records, bytes)
    }

    /// Without counting a reference; nil where there is no such handler.
    @inline(__always) subscript(index: UInt32) -> Unmanaged<HandlerRecord>? {
        guard index < count.load(ordering: .acquiring) else { return nil }
        return records[Int(index)]
    }

    @inline(__always) func find(_ identifier: UnsafeRawBufferPointer) -> UInt32? {
        identifiers.find(identifier)
    }

    func find(_ identifier: String) -> HandlerRecord? {
        identifiers.find(identifier).flatMap { self[$0]?.takeUnretainedValue() }
    }

    /// Adds the next handler, whose identifier is nobody's. Only with the directory's lock, which
    /// keeps to the limit.
    func add(_ record: HandlerRecord) {
        let index = count.load(ordering: .relaxed)
        records[Int(index)] = Unmanaged.passRetained(record)
        count.store(index + 1, ordering: .releasing)
        identifiers.add(
            UnsafeRawBufferPointer(
                start: record.identifierText, count: record.description.identifier.utf8.count),
            index)
    }
}
