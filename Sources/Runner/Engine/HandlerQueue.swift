// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import PluginBridge
import Scheduling
import Synchronization

/// The queue of a handler, and everything else that launching and running it touches.
///
/// Raw memory, grouped by writers: constants, words of launchers, words of workers. Two words of
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
    /// The phase of the host from which on nothing is launched. The queue of a plugin's subs stays
    /// open longer than others: pending tasks may need it to come to their end.
    let closesAt: UInt32
    private let padding1: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // MARK: Written by launchers

    /// The next position to fill.
    let tail = Atomic<UInt64>(0)
    /// Positions that were filled with a launch that was taken back.
    let blanks = Atomic<UInt64>(0)
    private let padding2: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // MARK: Written by workers

    /// The next position to take.
    let head = Atomic<UInt64>(0)
    /// Successes counted by workers of a handler with one place, of whom there is one at a time.
    let successes = Atomic<UInt64>(0)
    private let padding3: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    // MARK: Written by both, rarely

    /// Places taken: workers that run this handler, or look for its next task.
    let active = Atomic<UInt32>(0)
    /// `Gate` bits: why nothing may be started or launched.
    let gate = Atomic<UInt32>(0)
    /// Workers it has lost and that have not come back.
    let lost = Atomic<UInt32>(0)
    /// The task for whose end `Gate.awaited` stands; the end of any other does not open the gate.
    let awaited = Atomic<UInt64>(0)
    /// Re-queued tasks, which `tail` counts as launches.
    let requeued = Atomic<UInt64>(0)
    private let padding4: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    /// Outcomes counted by everybody else, by `Outcome.rawValue`.
    let ended: UnsafeMutablePointer<Atomic<UInt64>>

    /// Why a handler's tasks are not started (any bit).
    enum Gate {
        static let paused: UInt32 = 1
        static let quarantined: UInt32 = 2
        static let exhausted: UInt32 = 4
        /// A task is pending, and the handler has one at a time.
        static let awaited: UInt32 = 8
        /// Why nothing may be launched.
        static let refusing = quarantined | exhausted
    }

    /// Memory for a queue that holds so many tasks, a power of two. It is the system's until the
    /// first task of its page: most handlers never have many. Nil where there is none.
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
    ///   - cells: from `makeCells` with the same capacity, and the new queue's to give back.
    ///   - events: of the host's about the handler, in the order of `HandlerDescription.reservedEvents`.
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
        budget = description.budget
        grace = description.grace
        mask = UInt64(capacity - 1)
        self.index = index
        self.plugin = plugin
        maxConcurrency = description.maxConcurrency
        kind = description.kind
        progressEvent = events[1].index
        expiredEvent = events[2].index
        doneEvent = events[3].index
        doneTakers = events[3].takers
        closesAt = (code.isQueue ? HostPhase.State.leaving : .draining).rawValue
        self.cells = cells
        ended = .allocate(capacity: 8)
        for outcome in 0..<8 { (ended + outcome).initialize(to: Atomic(0)) }
    }

    deinit {
        HandlerQueue.giveBack(cells, capacity: UInt32(mask + 1))
        ended.deallocate()
    }
}

typealias HandlerQueuePointer = UnsafeMutablePointer<HandlerQueue>

extension UnsafeMutablePointer where Pointee == HandlerQueue {
    // MARK: A bounded ring after Dmitry Vyukov

    /// Adds one task. The free id of the cell becomes the task, unless `existing` is put back;
    /// `prepare` writes what the launch has to write before anybody can take it.
    @inline(__always)
    func add(
        _ tasks: TaskTable, existing: TaskReference? = nil,
        prepare: (TaskReference) -> Void
    ) -> Result<TaskReference, QueueRefusal> {
        var position = pointee.tail.load(ordering: .relaxed)
        var cell: UnsafeMutablePointer<QueueCell>
        // What the cell holds stays the same until somebody has won its place.
        var bits: UInt64
        var fresh: TaskReference?
        while true {
            cell = pointee.cells + Int(position & pointee.mask)
            let sequence = cell.pointee.sequence.load(ordering: .acquiring)
            let distance = Int64(bitPattern: sequence &- position)
            if distance == 0 {
                bits = cell.pointee.task.load(ordering: .relaxed)
                if bits == 0, existing == nil, fresh == nil {
                    // Before the place is taken: a refusal leaves nothing behind.
                    fresh = tasks.allocate()
                    guard fresh != nil else { return .failure(.noSlot) }
                }
                let (exchanged, original) = pointee.tail.compareExchange(
                    expected: position, desired: position &+ 1, ordering: .sequentiallyConsistent)
                if exchanged { break }
                position = original
            } else if distance < 0 {
                if sequence == 0, position <= pointee.mask {
                    // Never used: free, once somebody has written so.
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

    /// Takes the oldest task and leaves `replacement` (a free id of this handler, or 0) for the
    /// next round. Nil when the queue is empty or its oldest task is still being added.
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
                // One place, so one worker at a time; the place is handed on with a full barrier.
                pointee.head.store(position &+ 1, ordering: .relaxed)
            } else {
                let (exchanged, original) = pointee.head.compareExchange(
                    expected: position, desired: position &+ 1, ordering: .acquiringAndReleasing)
                if !exchanged {
                    position = original
                    continue
                }
            }
            // What this writes into a cell would wait for the launcher's core to give it up, and the
            // next exchange for that. Asked for this early, it is there.
            csys_prefetch(pointee.cells + Int((position &+ 2) & pointee.mask))
            let bits = cell.pointee.task.load(ordering: .relaxed)
            cell.pointee.task.store(replacement, ordering: .relaxed)
            cell.pointee.sequence.store(
                position &+ pointee.mask &+ 1, ordering: .releasing)
            return bits
        }
    }

    /// Takes from the front what `isOver`, for whoever holds one of the handler's places.
    func sweep(_ isOver: (TaskReference) -> Bool) -> [TaskReference] {
        var swept: [TaskReference] = []
        var position = pointee.head.load(ordering: .sequentiallyConsistent)
        while true {
            let cell = pointee.cells + Int(position & pointee.mask)
            guard cell.pointee.sequence.load(ordering: .acquiring) == position &+ 1 else {
                break
            }
            let task = TaskReference(bits: cell.pointee.task.load(ordering: .relaxed))
            // What is over stays so: if the place is won, it is this task's.
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

    /// True while a task can be taken. Looked at again and again without taking the launcher's line:
    /// of the queue's end only what is full is read.
    @inline(__always) var hasNext: Bool {
        let position = pointee.head.load(ordering: .relaxed)
        return (pointee.cells + Int(position & pointee.mask)).pointee.sequence.load(
            ordering: .acquiring)
            == position &+ 1
    }

    /// False while a task waits, also one whose adding is not finished.
    @inline(__always) var isEmpty: Bool {
        pointee.tail.load(ordering: .sequentiallyConsistent)
            == pointee.head.load(ordering: .sequentiallyConsistent)
    }

    var length: UInt64 {
        let head = pointee.head.load(ordering: .relaxed)
        let tail = pointee.tail.load(ordering: .sequentiallyConsistent)
        return tail >= head ? tail - head : 0
    }

    /// The tasks that wait, as far as they can be seen from outside.
    func waitingTasks() -> [TaskReference] {
        var result: [TaskReference] = []
        var position = pointee.head.load(ordering: .sequentiallyConsistent)
        let end = pointee.tail.load(ordering: .sequentiallyConsistent)
        while position < end {
            let cell = pointee.cells + Int(position & pointee.mask)
            // A cell that is claimed gets full within a few instructions.
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
