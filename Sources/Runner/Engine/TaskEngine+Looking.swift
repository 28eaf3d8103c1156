// SPDX-License-Identifier: Apache-2.0
package import PluginBridge
import Scheduling
import Synchronization

extension TaskEngine {
    /// The handlers with an expiration callback that has been called and has not returned.
    package var handlersInCallbacks: [HandlerRecord] {
        let calls = deadlines.state.withLock { $0.inside.compactMap(\.self) }
        return Set(calls.map { $0.handler.pointee.index }).sorted().map { handlers[$0] }
    }

    /// Returns a snapshot of a task, or nil when it is stale.
    package func query(_ id: UInt64) -> TaskState? {
        guard let task = tasks.find(id) else { return nil }
        if !tasks.slot(task).state.isEntered, let handler = tasks.slot(task).handlerQueue,
            let port = ChildPort.of(handler)
        {
            // A process tells nobody that it has begun a task.
            port.look(at: task)
        }
        return snapshot(task)
    }

    private func snapshot(_ task: TaskReference) -> TaskState? {
        // Without a record, everything is in the slot, whose memory stays mapped. The task is not
        // pinned; the read is valid if it is the same task afterwards, still without a record.
        let slot = tasks.slot(task)
        if slot.pointee.record.load(ordering: .relaxed) == 0 {
            let state = describe(slot, nil)
            atomicMemoryFence(ordering: .acquiring)
            let hasRecord = slot.pointee.record.load(ordering: .acquiring) != 0
            guard slot.state.generation == task.generation else { return nil }
            if !hasRecord { return state }
        }
        return tasks.pinning(task) { describe($0, tasks.existingRecord(of: $0)) } ?? nil
    }

    private func describe(_ slot: TaskSlotPointer, _ record: TaskRecord?) -> TaskState? {
        guard let cell = slot.handlerQueue else { return nil }
        let machine = slot.state
        func override(_ own: UInt64?, _ handlers: UInt64) -> UInt64 {
            guard let own, own != 0 else { return handlers }
            return own
        }
        return TaskState(
            // The outcome is visible only once its text and result can be read.
            phase: machine.isClaimed && !machine.isOver ? .stopping : machine.phase,
            outcome: machine.isOver ? machine.outcome : nil,
            reason: machine.reason,
            isAnswered: machine.isAnswered,
            isEndWaiting: machine.isClaimed && !machine.isOver
                && record?.request?.isEndWaiting.load(ordering: .acquiring) == true,
            isReturned: machine.isReturned || !machine.isEntered,
            attempt: max(1, record?.attempt ?? 1),
            handler: handlers[cell.pointee.index],
            startedAt: machine.isEntered ? slot.pointee.startedAt.load(ordering: .acquiring) : 0,
            budget: override(record?.budget, cell.pointee.budget),
            grace: override(record?.grace, cell.pointee.grace),
            progress: Double(bitPattern: record?.progress.load(ordering: .relaxed) ?? 0),
            errorBytes: machine.isOver ? errorBytes(slot, machine, record) : 0,
            resultBytes: machine.isOver ? record?.resultBytes ?? 0 : 0)
    }

    private func errorBytes(
        _ slot: TaskSlotPointer, _ machine: TaskStateMachine, _ record: TaskRecord?
    ) -> Int {
        machine.outcome?.doneText?.utf8.count ?? record?.errorBytes ?? 0
    }

    package enum Part: Sendable { case error, result }

    /// Copies a finished task's error text or result, as far as it fits. Returns its full length.
    package func read(
        _ part: Part, of id: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) -> (status: Status, bytes: Int) {
        guard let task = tasks.find(id) else { return (.stale, 0) }
        return tasks.pinning(task) { slot in
            let machine = slot.state
            guard machine.isOver else { return (.wrongState, 0) }
            let record = tasks.existingRecord(of: slot)
            func copy(_ source: UnsafeRawBufferPointer) -> (status: Status, bytes: Int) {
                let count = min(source.count, buffer.count)
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
                return (count < source.count ? .tooLarge : .ok, source.count)
            }
            switch part {
            case .result:
                return copy(
                    UnsafeRawBufferPointer(start: record?.result, count: record?.resultBytes ?? 0))
            case .error:
                if var text = machine.outcome?.doneText {
                    return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
                }
                return copy(
                    UnsafeRawBufferPointer(start: record?.error, count: record?.errorBytes ?? 0))
            }
        } ?? (.stale, 0)
    }

    /// Returns the plugin's error text of a finished task, even if the done event has the host's.
    package func answer(of id: UInt64) -> String? {
        guard let task = tasks.find(id) else { return nil }
        return tasks.pinning(task) { slot in
            guard slot.state.isOver, let record = tasks.existingRecord(of: slot),
                let error = record.error
            else { return nil }
            return String(cString: error)
        } ?? nil
    }

    func isOver(_ id: UInt64) -> Bool {
        guard let task = tasks.find(id) else { return true }
        let state = tasks.slot(task).state
        return state.generation != task.generation || state.isOver
    }

    package func keep(_ id: UInt64) -> Status {
        guard let task = tasks.find(id), let (kept, _) = tasks.step(task, { $0.keepForEmbedder() })
        else { return .stale }
        return kept ? .ok : .exhausted
    }

    package func release(_ id: UInt64) -> Status {
        guard let task = tasks.find(id),
            let (released, state) = tasks.step(task, { $0.releaseForEmbedder() })
        else { return .stale }
        guard released else { return .wrongState }
        freeIfDone(task, state)
        return .ok
    }

    /// Calls `body` once the task is over: on the thread that ends it, or at once.
    /// The caller keeps the task. Returns false when it is stale.
    package func whenOver(_ id: UInt64, _ body: @escaping @Sendable () -> Void) -> Bool {
        guard let task = tasks.find(id) else { return false }
        return tasks.pinning(task) { slot in
            // Register first, then check, as sleeping threads do.
            let record = tasks.record(of: slot)
            record.whenAnnounced(body)
            slot.pointee.listened.store(1, ordering: .sequentiallyConsistent)
            let word = slot.pointee.word.load(ordering: .sequentiallyConsistent)
            if TaskStateMachine(word: word).isOver { record.announce() }
            return true
        } ?? false
    }
}
