// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import PluginBridge
import Synchronization

/// The channel of a plugin's process, from its side.
///
/// Any thread may call. Records are written in one order under a lock; a record that does not fit waits
/// until the host has read others.
final class ChildChannel: Sendable {
    let memory: ChannelMemory
    private let cores = CoreSharing()
    /// The number of bytes ever written to the ring.
    private let tail = Locked<UInt64>(0)
    /// The thread that holds `tail`, or 0: a signal handler on it must not wait for itself.
    private let holder = Atomic<UInt64>(0)
    /// A bit for each mailbox that is in use.
    private let mailboxes = Atomic<UInt64>(0)
    private let sequence = Atomic<UInt32>(0)

    init(_ memory: ChannelMemory) { self.memory = memory }

    // MARK: Records

    /// What came of a record.
    enum Posting {
        case posted
        /// The condition did not hold.
        case withheld
        /// The calling thread is inside of another post: a signal handler has interrupted it.
        case interrupted
    }

    /// Writes a record and wakes the host. Returns false when the calling thread is inside of another
    /// post: a signal handler has interrupted it.
    @discardableResult
    func post(
        _ kind: ChannelRecord.Kind, task: UInt64, _ body: UnsafeRawBufferPointer,
        _ more: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> Bool {
        post(kind, task: task, body, more) { true } == .posted
    }

    /// Writes a record on a condition, which is looked at in the order of the records.
    @inline(__always)
    func post(
        _ kind: ChannelRecord.Kind, task: UInt64, _ body: UnsafeRawBufferPointer,
        _ more: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        onlyIf condition: () -> Bool
    ) -> Posting {
        let thread = csys_thread_number()
        guard holder.load(ordering: .relaxed) != thread else { return .interrupted }
        let isPosted = tail.withLock { tail -> Bool in
            holder.store(thread, ordering: .relaxed)
            defer { holder.store(0, ordering: .relaxed) }
            guard condition() else { return false }
            let limit = ChannelLayout.recordBytes - ChannelLayout.headerBytes
            var (first, second) = (body, more)
            while first.count + second.count > limit {
                // The parts of a long body follow each other.
                let part = first.isEmpty ? second : first
                let count = min(part.count, limit)
                put(.fragment, 0, UnsafeRawBufferPointer(rebasing: part[..<count]), nil, &tail)
                let rest = UnsafeRawBufferPointer(rebasing: part[count...])
                if first.isEmpty { second = rest } else { first = rest }
            }
            put(kind, task, first, second, &tail)
            return true
        }
        guard isPosted else { return .withheld }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        let isAwaited = memory.header.pointee.isAwaited.load(ordering: .sequentiallyConsistent) != 0
        (isAwaited ? memory.waiterBell : memory.readerBell).ring()
        return .posted
    }

    private func put(
        _ kind: ChannelRecord.Kind, _ task: UInt64, _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer?, _ tail: inout UInt64
    ) {
        let secondCount = second?.count ?? 0
        let record = ChannelRecord(kind, task: task, bytes: UInt32(first.count + secondCount))
        waitForRoom(record.size, tail)
        let size = ChannelLayout.ringBytes
        withUnsafeBytes(of: record.words) {
            csys_ring_put(memory.ring, size, tail, $0.baseAddress!, UInt64($0.count))
        }
        var at = tail + UInt64(ChannelLayout.headerBytes)
        if let start = first.baseAddress {
            csys_ring_put(memory.ring, size, at, start, UInt64(first.count))
        }
        at += UInt64(first.count)
        if let start = second?.baseAddress {
            csys_ring_put(memory.ring, size, at, start, UInt64(secondCount))
        }
        tail += record.size
        memory.ringTail.pointee.store(tail, ordering: .releasing)
    }

    private func waitForRoom(_ count: UInt64, _ tail: UInt64) {
        func hasRoom() -> Bool {
            tail &+ count &- memory.header.pointee.ringHead.load(ordering: .sequentiallyConsistent)
                <= ChannelLayout.ringBytes
        }
        while !hasRoom() {
            memory.readerBell.ring()
            if cores.poll(hasRoom) { return }
            let rings = memory.roomBell.announce()
            if hasRoom() { return memory.roomBell.cancel(since: rings) }
            memory.roomBell.sleep(since: rings, until: csys_monotonic_ns() &+ 1_000_000_000)
        }
    }

    func post(_ kind: ChannelRecord.Kind, task: UInt64, _ writer: ChannelWriter) {
        _ = writer.bytes.withUnsafeBytes { post(kind, task: task, $0) }
    }

    // MARK: Calls

    /// The reply to a call: valid during the closure to which it is passed.
    struct Reply {
        let status: Status
        var reader: ChannelReader
    }

    /// Calls a function of the host and waits for its reply.
    ///
    /// Returns nil when that cannot be done from here, or the host has replied with nonsense.
    func call<T>(
        _ function: ChannelCall, task: UInt64 = 0, _ write: (inout ChannelWriter) -> Void,
        _ read: (inout Reply) -> T?
    ) -> T? {
        guard holder.load(ordering: .relaxed) != csys_thread_number() else { return nil }
        let place = takeMailbox()
        defer { mailboxes.bitwiseAnd(~(1 << UInt64(place)), ordering: .releasing) }
        let mailbox = memory.mailbox(place)
        var number = sequence.wrappingAdd(1, ordering: .relaxed).newValue
        // The mailbox is zero at first.
        if number == 0 { number = sequence.wrappingAdd(1, ordering: .relaxed).newValue }
        var writer = ChannelWriter()
        writer.add(UInt16(place))
        writer.add(function.rawValue)
        writer.add(number)
        write(&writer)
        post(.call, task: task, writer)
        func isAnswered() -> Bool {
            mailbox.pointee.sequence.load(ordering: .sequentiallyConsistent) == number
        }
        if !cores.poll(isAnswered) {
            while true {
                let seen = mailbox.pointee.sequence.load(ordering: .sequentiallyConsistent)
                if seen == number { break }
                // Its first member is the word.
                csys_shared_wait(mailbox, seen, .max)
            }
        }
        guard let bytes = memory.bytes(at: mailbox.pointee.at, count: mailbox.pointee.bytes) else {
            return nil
        }
        var reply = Reply(
            status: Status(rawValue: mailbox.pointee.status), reader: ChannelReader(bytes))
        return read(&reply)
    }

    /// Calls a function of the host that returns a status.
    func call(
        _ function: ChannelCall, task: UInt64 = 0, _ write: (inout ChannelWriter) -> Void = { _ in }
    ) -> Status {
        call(function, task: task, write) { $0.status } ?? .wrongState
    }

    private func takeMailbox() -> Int {
        while true {
            let used = mailboxes.load(ordering: .relaxed)
            let free = (~used).trailingZeroBitCount
            guard free < ChannelLayout.mailboxes else {
                csys_yield()
                continue
            }
            if mailboxes.compareExchange(
                expected: used, desired: used | 1 << UInt64(free), ordering: .acquiring
            ).exchanged {
                return free
            }
        }
    }
}
