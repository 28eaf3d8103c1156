// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Scheduling
import Synchronization

/// All tasks of a host: their slots, the free slots and the public ids.
final class TaskTable: @unchecked Sendable {
    // Sendable: `slots` never moves and its members are atomic; the rest is constant or locked.

    /// Number of slots in the mapping, which is committed on first use.
    static let capacity = 1 << 21

    let slots: TaskSlotPointer
    /// Slots ever handed out; later ones were never touched.
    let allocated = Atomic<UInt32>(1)
    /// Slots that may be handed out: the task limit plus the free ids in handler queues.
    let limit: Atomic<UInt32>

    /// Free slots that no worker holds. Rarely used, because a queue cell carries the free id of
    /// its next round.
    private let pool = Locked<[UInt64]>([])
    /// Approximate size of the pool, readable without the lock.
    let pooled = Atomic<Int>(0)

    /// An odd number that multiplies the generation in public ids: adding one to an id does not
    /// name the next task in the slot, and ids of two hosts differ.
    private let key: UInt32
    private let inverse: UInt32

    init?(limit: UInt32) {
        guard let memory = csys_map(UInt64(Self.capacity * MemoryLayout<TaskSlot>.stride)) else {
            return nil
        }
        assert(MemoryLayout<TaskSlot>.stride == 64)
        slots = memory.bindMemory(to: TaskSlot.self, capacity: Self.capacity)
        self.limit = Atomic(limit)
        key = UInt32.random(in: .min ... .max) | 1
        // Newton's iteration for the inverse modulo 2^32; each round doubles the correct bits.
        var inverse = key
        for _ in 0..<5 { inverse = inverse &* (2 &- key &* inverse) }
        self.inverse = inverse
    }

    deinit {
        for index in 1..<Int(allocated.load(ordering: .relaxed)) { clear(slots + index) }
        csys_unmap(slots, UInt64(Self.capacity * MemoryLayout<TaskSlot>.stride))
    }

    // MARK: Ids

    @inline(__always) func publicID(_ task: TaskReference) -> UInt64 {
        UInt64(task.generation &* key) << 32 | UInt64(task.index)
    }

    /// Returns the task of a public id if its slot was ever used; it may be stale.
    @inline(__always) func find(_ id: UInt64) -> TaskReference? {
        let index = UInt32(truncatingIfNeeded: id)
        guard index != 0, index < allocated.load(ordering: .acquiring) else { return nil }
        return TaskReference(
            index: index, generation: UInt32(truncatingIfNeeded: id >> 32) &* inverse)
    }

    @inline(__always) func slot(_ task: TaskReference) -> TaskSlotPointer {
        slots + Int(task.index)
    }

    func index(of slot: TaskSlotPointer) -> UInt32 { UInt32(slot - slots) }

    // MARK: Steps

    /// Makes one step of a task's state machine: retries `body` until the exchange succeeds.
    /// Returns nil when the task is stale.
    @inline(__always)
    func step<Action>(
        _ task: TaskReference, _ body: (inout TaskStateMachine) -> Action
    ) -> (action: Action, state: TaskStateMachine)? {
        let slot = slot(task)
        var word = slot.pointee.word.load(ordering: .acquiring)
        while true {
            var machine = TaskStateMachine(word: word)
            guard machine.generation == task.generation else { return nil }
            let action = body(&machine)
            if machine.word == word { return (action, machine) }
            let (exchanged, original) = slot.pointee.word.compareExchange(
                expected: word, desired: machine.word, ordering: .sequentiallyConsistent)
            if exchanged { return (action, machine) }
            word = original
        }
    }

    /// Returns the budget of a task, and its record if it belongs to a request.
    @inline(__always)
    func terms(
        _ slot: TaskSlotPointer, _ handler: HandlerQueuePointer
    ) -> (budget: UInt64, request: Unmanaged<TaskRecord>?) {
        guard slot.pointee.record.load(ordering: .acquiring) != 0,
            let record = existingRecord(of: slot)
        else { return (handler.pointee.budget, nil) }
        return (
            record.budget != 0 ? record.budget : handler.pointee.budget,
            record.request == nil ? nil : Unmanaged.passUnretained(record)
        )
    }

    /// Starts the budget of a task that was taken from its queue. `arm` is called before the step.
    @inline(__always)
    func enter(
        _ task: TaskReference, at now: UInt64, until deadline: UInt64, arm: () -> Void = {}
    ) -> (TaskStateMachine.EnterAction, TaskStateMachine) {
        let slot = slot(task)
        slot.pointee.startedAt.store(now, ordering: .relaxed)
        slot.pointee.deadline.store(deadline, ordering: .relaxed)
        arm()
        guard let entered = step(task, { $0.enter() }) else {
            fatalError("a queued task was freed")
        }
        return entered
    }

    /// Keeps a task from being freed while `body` runs. Returns nil when it is stale.
    func pinning<Result>(_ task: TaskReference, _ body: (TaskSlotPointer) -> Result) -> Result? {
        while true {
            guard let (pinned, _) = step(task, { $0.pin() }) else { return nil }
            if pinned { break }
            csys_yield()
        }
        let result = body(slot(task))
        if let (_, state) = step(task, { $0.unpin() }), state.generation != task.generation {
            free(task)
        }
        return result
    }

    // MARK: Free slots

    /// Half of all slots were handed out: the rest is reserved for tasks, so free ids no longer
    /// stay in queues, where only one handler can use them.
    @inline(__always) var isTight: Bool {
        allocated.load(ordering: .relaxed) >= UInt32(Self.capacity / 2)
    }

    /// Returns a free slot for a handler's queue, or nil when the limit is reached.
    func allocate() -> TaskReference? {
        if pooled.load(ordering: .relaxed) > 0, let bits = takePooled() {
            return TaskReference(bits: bits)
        }
        while true {
            let index = allocated.load(ordering: .relaxed)
            guard index < limit.load(ordering: .relaxed), index < Self.capacity else { return nil }
            guard
                allocated.compareExchange(
                    expected: index, desired: index + 1, ordering: .acquiringAndReleasing
                ).exchanged
            else { continue }
            // Written only by the winner. Before, the slot has generation 0, which no id has.
            slots[Int(index)].word.store(
                TaskStateMachine(generation: 1).word, ordering: .relaxed)
            return TaskReference(index: index, generation: 1)
        }
    }

    @inline(never) private func takePooled() -> UInt64? { withPool { $0.popLast() } }

    /// Frees the data of a finished task whose state has moved on to the next generation.
    /// Returns the slot's next id, or nil when its generations are used up.
    @inline(__always) func clear(_ task: TaskReference) -> UInt64? {
        let slot = slot(task)
        if slot.pointee.record.load(ordering: .relaxed) != 0
            || slot.pointee.payload.load(ordering: .relaxed) != 0
        {
            clear(slot)
        }
        guard task.generation < UInt32.max - 1 else { return nil }
        return task.bits &+ 1 << 32
    }

    private func clear(_ slot: TaskSlotPointer) {
        let record = slot.pointee.record.exchange(0, ordering: .acquiringAndReleasing)
        if let raw = UnsafeRawPointer(bitPattern: record) {
            Unmanaged<TaskRecord>.fromOpaque(raw).release()
        }
        let payload = slot.pointee.payload.exchange(0, ordering: .acquiringAndReleasing)
        Glibc.free(UnsafeMutableRawPointer(bitPattern: payload))
        slot.pointee.payloadBytes.store(0, ordering: .relaxed)
        slot.pointee.listened.store(0, ordering: .relaxed)
    }

    /// Clears a task and gives its slot to the calling worker's free list or to the pool.
    func free(_ task: TaskReference) {
        guard let next = clear(task) else { return }
        guard let list = csys_thread_free_list(Unmanaged.passUnretained(self).toOpaque()) else {
            return give(next)
        }
        list.assumingMemoryBound(to: TaskFreeList.self).pointee.add(next, self)
    }

    private func withPool<T>(_ body: (inout [UInt64]) -> T) -> T {
        pool.withLock { pool in
            defer { pooled.store(pool.count, ordering: .relaxed) }
            return body(&pool)
        }
    }

    @inline(never) func give(_ id: UInt64) { withPool { $0.append(id) } }

    func give(_ ids: UnsafeBufferPointer<UInt64>) { withPool { $0.append(contentsOf: ids) } }

    func take(into ids: UnsafeMutableBufferPointer<UInt64>) -> Int {
        withPool { pool in
            let count = min(ids.count, pool.count)
            for place in 0..<count { ids[place] = pool.removeLast() }
            return count
        }
    }

    // MARK: Records

    /// Returns the task's record, made on demand. The caller keeps the task from being freed.
    func record(of slot: TaskSlotPointer) -> TaskRecord {
        if let record = existingRecord(of: slot) { return record }
        let fresh = Unmanaged.passRetained(TaskRecord())
        let bits = UInt(bitPattern: fresh.toOpaque())
        let (exchanged, original) = slot.pointee.record.compareExchange(
            expected: 0, desired: bits, ordering: .sequentiallyConsistent)
        if exchanged { return fresh.takeUnretainedValue() }
        fresh.release()
        return Unmanaged<TaskRecord>.fromOpaque(UnsafeRawPointer(bitPattern: original)!)
            .takeUnretainedValue()
    }

    func existingRecord(of slot: TaskSlotPointer) -> TaskRecord? {
        let bits = slot.pointee.record.load(ordering: .sequentiallyConsistent)
        return UnsafeRawPointer(bitPattern: bits).map {
            Unmanaged<TaskRecord>.fromOpaque($0).takeUnretainedValue()
        }
    }
}
