// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The queue of a handler, with all other data of launching and running it.
///
/// Raw memory, grouped by writer: constants, words of launchers, words of workers. Words of
/// different writers never share a cache line.
struct HandlerQueue: ~Copyable {
    // MARK: Constants

    let code: HandlerCode
    let budget: UInt64
    let grace: UInt64
    let cells: UnsafeMutablePointer<QueueCell>
    let mask: UInt64
    let index: UInt32
    let plugin: Int32
    let maxConcurrency: UInt32
    let kind: TaskKind
    let doneEvent: UInt32
    let expiredEvent: UInt32
    let progressEvent: UInt32
    let doneTakers: UnsafeMutablePointer<Atomic<UInt32>>
    /// The host phase from which on launches are refused. The queue of a plugin's subs stays open
    /// longer, because pending tasks may need it to end.
    let closesAt: UInt32
    private let padding1: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // MARK: Written by launchers

    let tail = Atomic<UInt64>(0)
    /// Positions filled with a withdrawn launch.
    let blanks = Atomic<UInt64>(0)
    private let padding2: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // MARK: Written by workers

    let head = Atomic<UInt64>(0)
    /// Successes counted by workers, with a plain store if the handler has one place.
    let successes = Atomic<UInt64>(0)
    private let padding3: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // MARK: Written by both, rarely

    /// Places taken by workers that run this handler or look for its next task.
    let active = Atomic<UInt32>(0)
    let gate: Atomic<UInt32>
    /// Lost workers that have not returned.
    let lost = Atomic<UInt32>(0)
    /// The pending tasks, `code.pendingLimit` places; the end of any other task does not open the
    /// gate.
    let awaited: UnsafeMutablePointer<Atomic<UInt64>>
    /// Re-queued tasks; `tail` counts them as launches.
    let requeued = Atomic<UInt64>(0)
    private let padding4: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    /// Outcomes counted outside of `successes`, indexed by `Outcome.rawValue`.
    let ended: UnsafeMutablePointer<Atomic<UInt64>>

    enum Gate {
        static let paused: UInt32 = 1
        static let quarantined: UInt32 = 2
        static let exhausted: UInt32 = 4
        /// As many tasks are pending as may be.
        static let awaited: UInt32 = 8
        /// Its tasks run in another process: no worker takes them. Never cleared.
        static let remote: UInt32 = 16
        static let refusing = quarantined | exhausted
    }

    /// Maps memory for a queue of `capacity` tasks, a power of two. Returns nil without memory.
    /// Pages are committed on first use, because most queues stay short.
    static func makeCells(capacity: UInt32) -> UnsafeMutablePointer<QueueCell>? {
        csys_map_sparse(queueBytes(capacity)).map {
            $0.bindMemory(to: QueueCell.self, capacity: Int(capacity))
        }
    }

    static func giveBack(_ queue: UnsafeMutablePointer<QueueCell>, capacity: UInt32) {
        csys_unmap(queue, queueBytes(capacity))
    }

    private static func queueBytes(_ capacity: UInt32) -> UInt64 {
        UInt64(capacity) * UInt64(MemoryLayout<QueueCell>.stride)
    }

    /// Makes a handler's queue, in memory aligned to two cache lines; `HandlerRecord` frees it.
    ///
    /// - Parameters:
    ///   - cells: from `makeCells` with the same capacity; owned by the queue.
    ///   - events: in the order of `HandlerDescription.reservedEvents`.
    static func make(
        _ code: HandlerCode, _ description: HandlerDescription,
        _ cells: UnsafeMutablePointer<QueueCell>, capacity: UInt32, index: UInt32, plugin: Int32,
        events: [EventEntry]
    ) -> HandlerQueuePointer {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<HandlerQueue>.size, alignment: 128)
        let queue = raw.bindMemory(to: HandlerQueue.self, capacity: 1)
        queue.initialize(
            to: HandlerQueue(code, description, cells, capacity, index, plugin, events))
        return queue
    }

    private init(
        _ code: HandlerCode, _ description: HandlerDescription,
        _ cells: UnsafeMutablePointer<QueueCell>, _ capacity: UInt32, _ index: UInt32,
        _ plugin: Int32, _ events: [EventEntry]
    ) {
        self.code = code
        gate = Atomic(code.port == nil ? 0 : Gate.remote)
        budget = description.budget
        grace = description.grace
        mask = UInt64(capacity - 1)
        self.index = index
        self.plugin = plugin
        // A pending task leaves its worker, so one place lets as many be pending as are permitted.
        maxConcurrency = code.pendingLimit > 1 ? 1 : description.maxConcurrency
        kind = description.kind
        progressEvent = events[1].index
        expiredEvent = events[2].index
        doneEvent = events[3].index
        doneTakers = events[3].takers
        closesAt = (code.isQueue ? HostPhase.State.leaving : .draining).rawValue
        self.cells = cells
        ended = .allocate(capacity: 8)
        for outcome in 0..<8 { (ended + outcome).initialize(to: Atomic(0)) }
        awaited = .allocate(capacity: Int(max(1, code.pendingLimit)))
        for place in 0..<Int(max(1, code.pendingLimit)) {
            (awaited + place).initialize(to: Atomic(0))
        }
    }

    deinit {
        HandlerQueue.giveBack(cells, capacity: UInt32(mask + 1))
        ended.deallocate()
        awaited.deallocate()
    }
}

typealias HandlerQueuePointer = UnsafeMutablePointer<HandlerQueue>

extension UnsafeMutablePointer where Pointee == HandlerQueue {
    // MARK: A bounded ring after Dmitry Vyukov

    /// Adds one task: `existing`, or the free id in the cell, or a newly allocated one.
    /// `prepare` writes the task's data before a worker can take it.
    @inline(__always)
    func add(
        _ tasks: TaskTable, existing: TaskReference? = nil,
        prepare: (TaskReference) -> Void
    ) -> Result<TaskReference, QueueRefusal> {
        var position = pointee.tail.load(ordering: .relaxed)
        var cell: UnsafeMutablePointer<QueueCell>
        // The cell's content is constant until a launcher has won its position.
        var bits: UInt64
        var fresh: TaskReference?
        while true {
            cell = pointee.cells + Int(position & pointee.mask)
            let sequence = cell.pointee.sequence.load(ordering: .acquiring)
            let distance = Int64(bitPattern: sequence &- position)
            if distance == 0 {
                bits = cell.pointee.task.load(ordering: .relaxed)
                if bits == 0, existing == nil, fresh == nil {
                    // Allocated before the position is taken, so that a refusal leaves no trace.
                    fresh = tasks.allocate()
                    guard fresh != nil else { return .failure(.noSlot) }
                }
                let (exchanged, original) = pointee.tail.compareExchange(
                    expected: position, desired: position &+ 1, ordering: .sequentiallyConsistent)
                if exchanged { break }
                position = original
            } else if distance < 0 {
                if sequence == 0, position <= pointee.mask {
                    // Never used: the first launcher to store the sequence makes it free.
                    _ = cell.pointee.sequence.compareExchange(
                        expected: 0, desired: position, ordering: .relaxed)
                    continue
                }
                if let fresh { tasks.give(fresh.bits) }
                return .failure(.full)
            } else {
                position = pointee.tail.load(ordering: .relaxed)
            }
        }
        if let existing {
            if bits != 0 { tasks.give(bits) }
            bits = existing.bits
        } else if bits == 0 {
            bits = fresh!.bits
            tasks.slot(fresh!).pointee.handler.store(UInt(bitPattern: self), ordering: .relaxed)
        } else if let fresh {
            tasks.give(fresh.bits)
        }
        let task = TaskReference(bits: bits)
        prepare(task)
        cell.pointee.task.store(bits, ordering: .relaxed)
        cell.pointee.sequence.store(position &+ 1, ordering: .releasing)
        return .success(task)
    }

    /// Takes the oldest task. Returns nil when there is none or it is still being added.
    ///
    /// - Parameter replacement: a free id of this handler, left in the cell; or 0.
    @inline(__always)
    func take(replacement: UInt64) -> UInt64? {
        var position = pointee.head.load(ordering: .relaxed)
        let alone = pointee.maxConcurrency == 1
        while true {
            let cell = pointee.cells + Int(position & pointee.mask)
            let distance = Int64(
                bitPattern: cell.pointee.sequence.load(ordering: .acquiring) &- (position &+ 1))
            if distance < 0 { return nil }
            if distance > 0 {
                position = pointee.head.load(ordering: .relaxed)
                continue
            }
            if alone {
                // One place means one worker at a time, and a full barrier passes the place on.
                pointee.head.store(position &+ 1, ordering: .relaxed)
            } else {
                let (exchanged, original) = pointee.head.compareExchange(
                    expected: position, desired: position &+ 1, ordering: .acquiringAndReleasing)
                if !exchanged {
                    position = original
                    continue
                }
            }
            // Prefetching a later cell early avoids waiting for the launcher's core to release it.
            csys_prefetch(pointee.cells + Int((position &+ 2) & pointee.mask))
            let bits = cell.pointee.task.load(ordering: .relaxed)
            cell.pointee.task.store(replacement, ordering: .relaxed)
            cell.pointee.sequence.store(
                position &+ pointee.mask &+ 1, ordering: .releasing)
            return bits
        }
    }

    /// Removes tasks that are over from the front. The caller holds one of the handler's places.
    func sweep(_ isOver: (TaskReference) -> Bool) -> [TaskReference] {
        var swept: [TaskReference] = []
        var position = pointee.head.load(ordering: .sequentiallyConsistent)
        while true {
            let cell = pointee.cells + Int(position & pointee.mask)
            guard cell.pointee.sequence.load(ordering: .acquiring) == position &+ 1 else {
                break
            }
            let task = TaskReference(bits: cell.pointee.task.load(ordering: .relaxed))
            // The state is final: if the position is won, it is this task's.
            guard isOver(task),
                pointee.head.compareExchange(
                    expected: position, desired: position &+ 1, ordering: .sequentiallyConsistent
                ).exchanged
            else { break }
            cell.pointee.task.store(0, ordering: .relaxed)
            cell.pointee.sequence.store(
                position &+ pointee.mask &+ 1, ordering: .releasing)
            swept.append(task)
            position &+= 1
        }
        return swept
    }

    /// Whether a task can be taken. Polled without reading the launchers' cache line.
    @inline(__always) var hasNext: Bool {
        let position = pointee.head.load(ordering: .relaxed)
        return (pointee.cells + Int(position & pointee.mask)).pointee.sequence.load(
            ordering: .acquiring)
            == position &+ 1
    }

    /// Whether no task waits; false also while a task is still being added.
    @inline(__always) var isEmpty: Bool {
        pointee.tail.load(ordering: .sequentiallyConsistent)
            == pointee.head.load(ordering: .sequentiallyConsistent)
    }

    var length: UInt64 {
        let head = pointee.head.load(ordering: .relaxed)
        let tail = pointee.tail.load(ordering: .sequentiallyConsistent)
        return tail >= head ? tail - head : 0
    }

    /// Returns the waiting tasks, as far as other threads can see them.
    func waitingTasks() -> [TaskReference] {
        var result: [TaskReference] = []
        var position = pointee.head.load(ordering: .sequentiallyConsistent)
        let end = pointee.tail.load(ordering: .sequentiallyConsistent)
        while position < end {
            let cell = pointee.cells + Int(position & pointee.mask)
            // A claimed cell is filled within a few instructions.
            while cell.pointee.sequence.load(ordering: .acquiring) == position { csys_pause() }
            let bits = cell.pointee.task.load(ordering: .relaxed)
            if cell.pointee.sequence.load(ordering: .sequentiallyConsistent) == position &+ 1,
                bits != 0
            {
                result.append(TaskReference(bits: bits))
            }
            position += 1
        }
        return result
    }

    func count(_ outcome: Outcome) {
        pointee.ended[Int(outcome.rawValue)].wrappingAdd(1, ordering: .relaxed)
    }
}

/// One place in a handler's queue, on its own cache line. All zero in a new queue.
struct QueueCell: ~Copyable {
    /// The sequence number: full at position + 1, free again at position + capacity.
    /// Zero in a new cell until a launcher of the first round stores its position (free).
    let sequence: Atomic<UInt64>
    /// The waiting task; while the cell is free, the id of the next one, or 0.
    let task: Atomic<UInt64>
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
}

enum QueueRefusal: Error {
    case full
    /// The host has no free task slot.
    case noSlot
}
