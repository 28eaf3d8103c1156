// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import Glibc
import PluginBridge
import Scheduling
import Synchronization

/// The host's side of one process of a plugin: its channel, and the tasks and orders that it has.
///
/// The lock of the `ChildPort` guards everything but the constants. Nothing that the process writes is
/// believed: each record is copied before it is looked at, and each number in it is compared with what
/// the host itself holds. The first record that does not fit ends the process.
final class ChildLink: @unchecked Sendable {
    // Sendable: the port's lock guards the variables; the rest is constant. Exclusivity checks of those
    // that each task needs would be a fifth of a launch.

    let memory: ChannelMemory
    private var channel: csys_channel
    private let engine: TaskEngine
    private let services: PluginServices
    private let tasks: TaskTable
    private let plugin: Int32
    private let calls: ChildCalls
    /// By the handlers' places in the manifest, once they are registered.
    @exclusivity(unchecked) var queues: [HandlerQueuePointer] = []

    /// By the handlers' places in the manifest.
    let windows: UnsafeMutableBufferPointer<TaskWindow>
    /// Tasks whose functions have returned, and that are not over.
    @exclusivity(unchecked) private(set) var pending: Set<UInt64> = []
    /// Tasks whose expiration callback was ordered and has not returned.
    private(set) var calling: Set<UInt64> = []
    private var arena: ChunkAllocator
    /// The payloads of tasks, by slot.
    @exclusivity(unchecked) private var payloads: [UInt32: Payload] = [:]
    private var orders: [UInt64: (order: ChildOrder?, at: UInt64, bytes: UInt64)] = [:]
    private var lastToken: UInt64 = 0
    private var controlTail: UInt64 = 0
    /// The number of bytes of the ring that were read.
    private var head: UInt64 {
        get { headWord.load(ordering: .relaxed) }
        set { headWord.store(newValue, ordering: .releasing) }
    }
    // Threads read these three without the lock, to see whether there is something to do.
    private let headWord = Atomic<UInt64>(0)
    private let isFaulty = Atomic<Bool>(false)
    private let endedWord = Atomic<Bool>(false)
    @exclusivity(unchecked) private var stream: [UInt8] = []
    /// A bit for each mailbox whose call waits to be answered.
    private var unanswered: UInt64 = 0
    /// The chunks of replies, by mailbox.
    private var replies = [(at: UInt64, bytes: UInt64)](
        repeating: (0, 0), count: ChannelLayout.mailboxes)
    /// Completions that were not accepted, the last ones.
    private var refusals: [(task: UInt64, verdict: Status)] = []
    @exclusivity(unchecked) private var credits: EventCredits
    /// Posted events that were not accepted, by their numbers, the last ones.
    private var refusedEvents: [(number: UInt64, verdict: Status)] = []
    private let buffer: UnsafeMutableRawBufferPointer
    private let error: UnsafeMutablePointer<curfew_error>

    /// It can be offered tasks: its library is loaded.
    @exclusivity(unchecked) var isReady = false
    /// It is offered no more tasks.
    var isLeaving = false
    /// It was found to be quiet, once.
    var isFoundQuiet = false
    /// Tasks whose functions do not return.
    var stuck: Set<UInt64> = []
    /// The rule that the process has broken, after which nothing more is read.
    @exclusivity(unchecked) private(set) var fault: String? {
        didSet {
            isFaulty.store(fault != nil, ordering: .releasing)
            // The channel reader has the process killed.
            wakeReader()
        }
    }
    /// The process has ended, and its last records were read.
    var hasEnded: Bool { endedWord.load(ordering: .acquiring) }
    /// The number of tasks whose functions have returned; read by any thread.
    var returns: UInt64 { returnCount.load(ordering: .relaxed) }
    private let returnCount = Atomic<UInt64>(0)
    /// The number of records that were read; read by any thread.
    var records: UInt64 { recordCount.load(ordering: .relaxed) }
    private let recordCount = Atomic<UInt64>(0)
    /// Tasks that succeeded in the process.
    @exclusivity(unchecked) private(set) var successes: UInt64 = 0
    /// How it has ended, as the rest of a sentence.
    var endText: String?
    /// The text of a task that ended with the process says how it ended, or the error of the load does.
    var isEndTold = false
    /// The record of the thread that ended it.
    private(set) var lastWords: LastWords?

    /// Records that are read before the lock is released.
    private static let mostRecords = 256

    private struct Payload {
        let task: TaskReference
        let at: UInt64
        let bytes: UInt64
    }

    init(
        _ engine: TaskEngine, _ services: PluginServices, plugin: Int32, _ manifest: Manifest,
        _ calls: ChildCalls
    ) throws(BridgeError) {
        self.engine = engine
        self.services = services
        self.calls = calls
        self.plugin = plugin
        tasks = engine.tasks
        let limits = engine.configuration
        let room = max(limits.payloadLimit, limits.resultLimit) &* 8
        let layout = ChannelLayout(
            handlers: manifest.handlers.count,
            arenaBytes: max(
                1 << 22, min(room, 1 << 28), 4 &* max(limits.payloadLimit, limits.resultLimit)))
        channel = csys_channel()
        let failure = csys_channel_make(
            &channel, layout.downBytes, layout.upBytes, layout.sharedBytes)
        guard failure == 0 else {
            throw BridgeError(
                .system,
                "no memory can be shared with a process: \(String(cString: strerror(failure)))")
        }
        memory = ChannelMemory(
            layout, mapped: channel, plugin: plugin, resultLimit: limits.resultLimit)
        credits = EventCredits(in: engine.events)
        memory.header.pointee.eventCredits.store(credits.granted, ordering: .releasing)
        arena = ChunkAllocator(from: layout.arenaAt, bytes: layout.arenaBytes)
        windows = .allocate(capacity: manifest.handlers.count)
        for (index, handler) in manifest.handlers.enumerated() {
            windows.initializeElement(
                at: index,
                to: TaskWindow(limit: ChannelLayout.window, places: handler.maxConcurrency))
        }
        buffer = .allocate(byteCount: ChannelLayout.recordBytes, alignment: 16)
        error = .allocate(capacity: 1)
        error.initialize(to: curfew_error())
        error.pointee.struct_size = UInt32(MemoryLayout<curfew_error>.size)
    }

    deinit {
        credits.close()
        csys_channel_close_files(&channel)
        csys_channel_unmap(&channel)
        buffer.deallocate()
        error.deallocate()
        windows.deinitialize().deallocate()
    }

    /// The files of the channel, for the process. Closed by `closeFiles`.
    var files: (down: Int32, up: Int32) { (channel.down_file, channel.up_file) }

    func closeFiles() { csys_channel_close_files(&channel) }

    // MARK: Tasks

    let rest = ReaderRest()
    /// The number of tasks and orders that the process has been given.
    @exclusivity(unchecked) private(set) var uses: UInt64 = 0
    /// The number of continuations in the process that wait for an event or a time.
    var continuations = 0

    /// Whether nothing is asked of the process.
    var isIdle: Bool {
        isReady && !isLeaving && pending.isEmpty && calling.isEmpty && orders.isEmpty
            && continuations == 0 && windows.allSatisfy(\.isEmpty)
    }

    /// Wakes the channel reader, to look again.
    func wakeReader() {
        memory.readerBell.ring()
        rest.end()
    }

    /// Whether all its tasks are over, besides those whose functions do not return.
    var isQuiet: Bool {
        // One that executes another program, or is stopped, never returns from its callback either.
        pending.isEmpty && calling.isSubset(of: stuck)
            && windows.allSatisfy { $0.isEmpty || $0.all.allSatisfy { stuck.contains($0.task) } }
    }

    /// Whether a task was offered to it, and is not over.
    func has(_ task: TaskReference, _ index: Int) -> Bool {
        position(of: task, index) != nil || pending.contains(task.bits)
            || calling.contains(task.bits)
    }

    /// Offers a task. Returns false when there is no room for its payload.
    func offer(_ task: TaskReference, _ index: Int, _ handler: HandlerQueuePointer) -> Bool {
        let slot = tasks.slot(task)
        let bytes = slot.pointee.payloadBytes.load(ordering: .acquiring)
        var at: UInt64 = 0
        // The payload of the task that had the slot before, and was kept after its end.
        if !payloads.isEmpty, let before = payloads.removeValue(forKey: task.index) {
            arena.release(before.at, before.bytes)
        }
        if bytes > 0 {
            guard let chunk = allocate(bytes) else { return false }
            at = chunk
            payloads[task.index] = Payload(task: task, at: at, bytes: bytes)
            (memory.down + Int(at)).copyMemory(
                from: UnsafeRawPointer(
                    bitPattern: slot.pointee.payload.load(ordering: .acquiring))!,
                byteCount: Int(bytes))
        }
        let record = tasks.existingRecord(of: slot)
        let id = tasks.publicID(task)
        let line = memory.line(task.index)
        func override(_ own: UInt64?, _ handlers: UInt64) -> UInt64 {
            guard let own, own != 0 else { return handlers }
            return own
        }
        line.pointee.deadline.store(0, ordering: .relaxed)
        line.pointee.budget = override(record?.budget, handler.pointee.budget)
        line.pointee.grace = override(record?.grace, handler.pointee.grace)
        line.pointee.attempt = max(1, record?.attempt ?? 1)
        line.pointee.kind =
            (record?.request?.kind ?? handler.pointee.kind).rawValue | Int32(index) << 16
        line.pointee.request =
            record?.request == nil ? 0 : services.request(of: id, plugin: plugin)
        line.pointee.payloadAt = at
        line.pointee.payloadBytes = bytes
        line.pointee.word.store(
            LiveWord(generation: UInt32(truncatingIfNeeded: id >> 32)).bits, ordering: .releasing)
        rest.end()
        uses &+= 1
        let position = windows[index].offer(task.bits)
        memory.gate(index, position).pointee.task.store(id, ordering: .relaxed)
        memory.tail(index).pointee.store(position &+ 1, ordering: .releasing)
        return true
    }

    private func allocate(_ bytes: UInt64) -> UInt64? {
        if let chunk = arena.allocate(bytes) { return chunk }
        // Payloads of tasks that are over, and were kept for references to them.
        for (slot, payload) in payloads
        where tasks.slot(payload.task).state.generation != payload.task.generation {
            arena.release(payload.at, payload.bytes)
            payloads[slot] = nil
        }
        return arena.allocate(bytes)
    }

    /// Starts the budgets of those whose turn has come.
    func armTurns(_ index: Int, _ handler: HandlerQueuePointer) {
        while let (bits, _) = windows[index].nextTurn() {
            let task = TaskReference(bits: bits)
            let slot = tasks.slot(task)
            let now = engine.clock.now()
            slot.pointee.startedAt.store(now, ordering: .relaxed)
            let deadline = now &+ tasks.terms(slot, handler).budget
            slot.pointee.deadline.store(deadline, ordering: .releasing)
            engine.deadlines.arm(task, deadline: deadline)
        }
    }

    func ring(_ index: Int) { memory.bell(index).ring() }

    /// Where a task is, if it is in a window.
    func position(of task: TaskReference, _ index: Int) -> UInt64? {
        windows[index].position(of: task.bits)
    }

    /// Takes an offered task back. Returns false when the process has taken it, which then counts as
    /// entered.
    func recall(_ task: TaskReference, _ index: Int, at position: UInt64) -> Bool {
        guard windows[index][position]?.state == .offered else { return false }
        let (isRecalled, seen) = memory.gate(index, position).pointee.task.compareExchange(
            expected: tasks.publicID(task), desired: 0, ordering: .sequentiallyConsistent)
        guard isRecalled else {
            enter(task, index, at: position, as: seen)
            return false
        }
        engine.deadlines.disarm(task)
        leave(index, position)
        forget(task, isOver: true)
        return true
    }

    /// Enters a task if the process has taken it.
    func observe(_ task: TaskReference, _ index: Int, at position: UInt64) {
        guard windows[index][position]?.state == .offered else { return }
        let seen = memory.gate(index, position).pointee.task.load(ordering: .sequentiallyConsistent)
        if seen != tasks.publicID(task) { enter(task, index, at: position, as: seen) }
    }

    /// Enters the tasks that the process has taken. Nothing else finds a place that it has written over
    /// before the budget of its task is over.
    func observeAll() {
        for index in windows.indices {
            for (bits, position, state) in windows[index].all {
                let task = TaskReference(bits: bits)
                guard state == .taken else {
                    observe(task, index, at: position)
                    continue
                }
                check(
                    memory.gate(index, position).pointee.task.load(
                        ordering: .sequentiallyConsistent),
                    of: task)
            }
        }
    }

    /// Enters a task whose place does not have the host's word any more: the process has taken the task,
    /// or has written over its place. Then the host cannot know whether the task runs.
    private func enter(_ task: TaskReference, _ index: Int, at position: UInt64, as seen: UInt64) {
        enter(task, index, at: position)
        check(seen, of: task)
    }

    /// Looks whether the word of a place is that of a task which the process has taken.
    private func check(_ seen: UInt64, of task: TaskReference) {
        if seen != tasks.publicID(task) | ChannelGate.taken, !hasEnded, fault == nil {
            fault = "it has written over the place of a task"
        }
    }

    /// The most nanoseconds by which a task can begin after its turn.
    private static let latestBegin: UInt64 = 2_000_000_000

    private func enter(_ task: TaskReference, _ index: Int, at position: UInt64) {
        guard windows[index][position]?.state == .offered else { return }
        windows[index].take(position)
        let slot = tasks.slot(task)
        guard let handler = slot.handlerQueue else { return }
        let now = engine.clock.now()
        let turn = slot.pointee.startedAt.load(ordering: .relaxed)
        var latest = now
        if engine.clock.manual == nil, turn != 0 { latest = min(now, turn &+ Self.latestBegin) }
        let taken = memory.gate(index, position).pointee.takenAt.load(ordering: .relaxed)
        let began = min(max(taken, min(turn, latest)), latest)
        let deadline = began &+ tasks.terms(slot, handler).budget
        _ = tasks.enter(task, at: began, until: deadline)
        memory.line(task.index).pointee.deadline.store(deadline, ordering: .releasing)
        engine.deadlines.arm(task, deadline: deadline)
        engine.phase.progressed()
    }

    private func leave(_ index: Int, _ position: UInt64) {
        windows[index].remove(position)
        if index < queues.count { armTurns(index, queues[index]) }
    }

    // MARK: A task's line

    /// Marks a task, so that the process waits for the host's decision.
    func close(_ task: TaskReference) {
        let word = memory.line(task.index).pointee.word.load(ordering: .relaxed)
        guard LiveWord(bits: word).generation == generation(task) else { return }
        memory.line(task.index).pointee.word.store(
            LiveWord(bits: word).closing.bits, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    private func generation(_ task: TaskReference) -> UInt32 {
        UInt32(truncatingIfNeeded: tasks.publicID(task) >> 32)
    }

    /// Shows the state of a task to the process.
    ///
    /// - Parameter isEndedByHost: the host has ended it, if it is gone.
    func refresh(_ task: TaskReference, isEndedByHost: Bool = false) {
        let line = memory.line(task.index)
        guard
            LiveWord(bits: line.pointee.word.load(ordering: .relaxed)).generation
                == generation(task)
        else { return }
        let state = tasks.slot(task).state
        let isGone = state.generation != task.generation
        let isOver = isGone || state.isClaimed
        if !isOver {
            line.pointee.deadline.store(
                tasks.slot(task).pointee.deadline.load(ordering: .acquiring), ordering: .releasing)
        }
        line.pointee.word.store(
            LiveWord(
                generation: generation(task),
                reason: isGone ? 0 : Int32(state.reason?.rawValue ?? 0), isOver: isOver,
                isEndedByHost: isGone ? isEndedByHost : state.isAnsweredFor
            ).bits, ordering: .sequentiallyConsistent)
        if isOver { forget(task, isOver: isGone) }
    }

    /// Forgets a task that is decided; its payload stays while there are references to it.
    private func forget(_ task: TaskReference, isOver: Bool) {
        pending.remove(task.bits)
        if isOver, !payloads.isEmpty, let payload = payloads[task.index], payload.task == task {
            arena.release(payload.at, payload.bytes)
            payloads[task.index] = nil
        }
    }

    // MARK: Orders

    /// Writes an order. The caller rings the bell after it has left the lock.
    func order(
        _ kind: ChannelOrder, _ order: ChildOrder?, handler: Int = 0, task: UInt64 = 0,
        value: Int64 = 0, message: [UInt8] = []
    ) -> Bool {
        guard orders.count < ChannelLayout.controls - 1 else { return false }
        var at: UInt64 = 0
        if !message.isEmpty {
            guard let chunk = allocate(UInt64(message.count)) else { return false }
            at = chunk
            message.withUnsafeBytes {
                (memory.down + Int(at)).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
            }
        }
        rest.end()
        uses &+= 1
        lastToken += 1
        if kind != .expire { orders[lastToken] = (order, at, UInt64(message.count)) }
        memory.control(controlTail).pointee = ChannelControl(
            kind, token: lastToken, handler: UInt32(handler), task: task, value: value, at: at,
            bytes: UInt64(message.count))
        controlTail += 1
        memory.header.pointee.controlTail.store(controlTail, ordering: .releasing)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        memory.controlBell.ring()
        return true
    }

    /// Has the process call the expiration callback of a task. Returns false when it cannot.
    func expire(_ task: TaskReference, _ index: Int, _ reason: StopReason?) -> Bool {
        guard !hasEnded, calling.count < ChannelLayout.controls / 2,
            order(
                .expire, nil, handler: index, task: tasks.publicID(task),
                value: Int64(reason?.rawValue ?? 0))
        else { return false }
        calling.insert(task.bits)
        return true
    }

    // MARK: Reading

    /// Whether the process has broken a rule, so that it has to be killed.
    var isBroken: Bool { isFaulty.load(ordering: .acquiring) }

    var hasRecords: Bool {
        !isFaulty.load(ordering: .acquiring)
            && memory.ringTail.pointee.load(ordering: .acquiring) != head
    }

    /// Reads the records that are there, or as many as are read at a time. Returns whether there were
    /// any.
    ///
    /// Unless it reads all, it stops at a log line until that is written: a line comes before an event
    /// that is raised after it.
    @discardableResult
    func drain(all: Bool = false) -> Bool {
        guard fault == nil, !hasEnded else { return false }
        // Read once: what comes later is for the next time.
        let tail = memory.ringTail.pointee.load(ordering: .acquiring)
        guard tail != head else { return false }
        guard tail &- head <= ChannelLayout.ringBytes else {
            fault = "the end of its ring is beyond the ring"
            return false
        }
        restoreCredits()
        var count = 0
        while head != tail, fault == nil,
            all || count < Self.mostRecords && !engine.log.hasDeferred
        {
            read(until: tail)
            count += 1
        }
        recordCount.store(records &+ UInt64(count), ordering: .relaxed)
        memory.header.pointee.ringHead.store(head, ordering: .releasing)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        memory.roomBell.ring()
        return true
    }

    private func read(until tail: UInt64) {
        let left = tail &- head
        var words: (UInt64, UInt64) = (0, 0)
        let headerBytes = UInt64(ChannelLayout.headerBytes)
        guard left >= headerBytes else {
            fault = "its ring ends inside of a record"
            return
        }
        csys_ring_copy(&words, memory.ring, ChannelLayout.ringBytes, head, headerBytes)
        guard let record = ChannelRecord(words: words), record.size <= left else {
            fault = "its ring has something that is no record"
            return
        }
        csys_ring_copy(
            buffer.baseAddress!, memory.ring, ChannelLayout.ringBytes, head &+ headerBytes,
            UInt64(record.bytes))
        head &+= record.size
        let body = UnsafeRawBufferPointer(rebasing: buffer[..<Int(record.bytes)])
        if record.kind == .fragment {
            guard stream.count + body.count <= Int(streamLimit) else {
                fault = "a message of it is longer than any can be"
                return
            }
            stream += body
            return
        }
        guard !stream.isEmpty else { return take(record, body) }
        stream += body
        stream.withUnsafeBytes { take(record, $0) }
        stream = []
    }

    /// The longest message: a result or the payload of a request, with an error text.
    private var streamLimit: UInt64 {
        max(engine.configuration.resultLimit, ChannelWriter.payloadLimit) &+ 1 << 18
    }

    private func take(_ record: ChannelRecord, _ body: UnsafeRawBufferPointer) {
        var reader = ChannelReader(body)
        switch record.kind {
        case .returned: returned(record.task, body)
        case .completed: completed(record.task, body)
        case .callbackReturned:
            guard body.isEmpty, let task = tasks.find(record.task),
                calling.remove(task.bits) != nil
            else {
                fault = "it has returned from an expiration callback that was not called"
                return
            }
            engine.callbackReturned(task)
        case .log:
            guard let level = reader.number(Int32.self), let text = reader.text(),
                reader.isComplete
            else {
                fault = "a log line of it cannot be read"
                return
            }
            services.log(
                LogLevel(rawValue: min(max(level, 0), LogLevel.error.rawValue)) ?? .info,
                String(text.prefix(4_096)), for: record.task, plugin: plugin)
        case .violated:
            guard let name = reader.text(), let did = reader.text(), let answer = reader.text(),
                reader.isComplete, let rule = ContractRule(rawValue: name)
            else {
                fault = "a report of it cannot be read"
                return
            }
            services.violated(
                rule, String(did.prefix(1_024)), String(answer.prefix(1_024)), task: record.task,
                plugin: plugin)
        case .raised:
            guard let number = reader.number(UInt64.self), let selector = reader.selector(),
                let values = reader.values(), reader.isComplete,
                body.count <= ChannelLayout.postedBytes
            else {
                fault = "an event of it cannot be read"
                return
            }
            posted(number, record.task) {
                services.raise(
                    selector, values, for: record.task, plugin: plugin, isReserved: true)
            }
        case .reported:
            guard let number = reader.number(UInt64.self), let fraction = reader.double(),
                fraction >= 0, fraction <= 1, let text = reader.text(), reader.isComplete,
                body.count <= ChannelLayout.postedBytes
            else {
                fault = "progress of it cannot be read"
                return
            }
            posted(number, record.task) {
                services.report(fraction, text, for: record.task, plugin: plugin, isReserved: true)
            }
        case .call: call(record.task, &reader)
        case .done:
            guard body.count >= MemoryLayout<DoneHead>.size,
                let entry = orders.removeValue(
                    forKey: body.loadUnaligned(as: DoneHead.self).token)
            else {
                fault = "it has carried out an order that was not given"
                return
            }
            if entry.bytes > 0 { arena.release(entry.at, entry.bytes) }
            entry.order?.finish(
                UnsafeRawBufferPointer(rebasing: body[MemoryLayout<DoneHead>.size...]))
        case .fragment: break
        }
    }

    // MARK: Ends of tasks

    private func returned(_ id: UInt64, _ body: UnsafeRawBufferPointer) {
        guard body.count >= MemoryLayout<ReturnedHead>.size, let task = tasks.find(id) else {
            fault = "it has returned from a task that there is not"
            return
        }
        let head = body.loadUnaligned(as: ReturnedHead.self)
        let index = Int(head.handler)
        guard index < windows.count, let entry = windows[index][head.position],
            entry.task == task.bits,
            let handler = tasks.slot(task).handlerQueue
        else {
            fault = "it has returned from a task that it was not offered, or twice"
            return
        }
        let status = Status(rawValue: head.status)
        returnCount.store(returns &+ 1, ordering: .relaxed)
        if status == .ok { successes += 1 }
        let slot = tasks.slot(task)
        if entry.state == .offered {
            if status == .ok, slot.pointee.record.load(ordering: .acquiring) == 0,
                ran(task, slot, handler, index, head.position)
            {
                return
            }
            enter(task, index, at: head.position)
        }
        if let record = tasks.existingRecord(of: slot), record.request != nil {
            record.cpu.store(head.processorTime, ordering: .releasing)
        }
        ErrorBuffer.fill(
            error, status,
            message: UnsafeRawBufferPointer(rebasing: body[MemoryLayout<ReturnedHead>.size...]))
        if status == .pending { pending.insert(task.bits) }
        leave(index, head.position)
        _ = engine.functionReturned(task, handler, status, error, armed: true)
        refresh(task)
        // The end of the host may wait for it.
        engine.phase.progressed()
    }

    /// Ends a task that the host has not seen entered, and that needs nothing but its end.
    private func ran(
        _ task: TaskReference, _ slot: TaskSlotPointer, _ handler: HandlerQueuePointer,
        _ index: Int, _ position: UInt64
    ) -> Bool {
        let word = slot.pointee.word.load(ordering: .acquiring)
        let over = TaskEnding(task: task, slot: slot, handler: handler).decide(
            in: tasks, engine.events,
            exchange: { wanted in
                guard let over = TaskStateMachine(word: word).ran(queueingDone: wanted),
                    slot.pointee.word.compareExchange(
                        expected: word, desired: over.word, ordering: .sequentiallyConsistent
                    ).exchanged
                else { return nil }
                return over
            },
            decided: {
                engine.deadlines.disarm(task)
                handler.count(.succeeded)
            }, late: { (.succeeded, "") }, unwanted: { engine.events.countUnwanted() })
        guard let over else { return false }
        leave(index, position)
        refresh(task)
        engine.phase.progressed()
        if over.generation != task.generation { tasks.free(task) }
        return true
    }

    /// A record about a task enters it first.
    private func enterIfTaken(_ task: TaskReference) {
        guard let index = index(of: task), let position = position(of: task, index) else { return }
        observe(task, index, at: position)
    }

    private func index(of task: TaskReference) -> Int? {
        guard let handler = tasks.slot(task).handlerQueue, handler.pointee.plugin == plugin else {
            return nil
        }
        let index = ChildPort.index(of: handler)
        return index < windows.count ? index : nil
    }

    private func completed(_ id: UInt64, _ body: UnsafeRawBufferPointer) {
        let size = MemoryLayout<CompletedHead>.size
        guard body.count >= size else {
            fault = "a completion of it cannot be read"
            return
        }
        let head = body.loadUnaligned(as: CompletedHead.self)
        guard head.errorBytes <= UInt64(body.count - size) else {
            fault = "a completion of it cannot be read"
            return
        }
        let text = UnsafeRawBufferPointer(rebasing: body[size..<size + Int(head.errorBytes)])
        let result = UnsafeRawBufferPointer(rebasing: body[(size + Int(head.errorBytes))...])
        // The process may name a task that is over, whose record could be freed meanwhile.
        if head.processorTime != 0, let task = tasks.find(id), let index = index(of: task),
            has(task, index), let record = tasks.existingRecord(of: tasks.slot(task)),
            record.request != nil
        {
            record.cpu.store(head.processorTime, ordering: .releasing)
        }
        _ = complete(
            id, Status(rawValue: head.status), error: head.hasError != 0 ? text : nil, result)
    }

    private func complete(
        _ id: UInt64, _ status: Status, error: UnsafeRawBufferPointer?,
        _ result: UnsafeRawBufferPointer
    ) -> Status {
        let task = tasks.find(id)
        if let task { enterIfTaken(task) }
        let verdict = services.complete(id, status, error: error, result: result, plugin: plugin)
        if verdict == .ok, status == .ok { successes += 1 }
        if verdict != .ok, verdict != .late {
            if refusals.count == 64 { refusals.removeFirst() }
            refusals.append((id, verdict))
        }
        if let task {
            refresh(task)
            watchReturn(of: task)
        }
        return verdict
    }

    /// A function that does not return after its task was completed is stuck some time later.
    private func watchReturn(of task: TaskReference) {
        let slot = tasks.slot(task)
        let state = slot.state
        guard state.generation == task.generation, state.isEntered, state.isClaimed,
            !state.isReturned, let handler = slot.handlerQueue
        else { return }
        let deadline =
            slot.pointee.deadline.load(ordering: .acquiring) &+ handler.pointee.grace
            &+ engine.configuration.killAfter
        slot.pointee.deadline.store(deadline, ordering: .releasing)
        engine.deadlines.arm(task, deadline: deadline)
    }

    // MARK: Events

    /// Raises an event that the process has posted.
    private func posted(_ number: UInt64, _ id: UInt64, _ raise: () -> EventQueue.Raised) {
        guard credits.isLeft else {
            fault = "it has posted more events than it may"
            return
        }
        if let task = tasks.find(id) { enterIfTaken(task) }
        let raised = raise()
        credits.settle(isQueued: raised.status == .ok && raised.isQueued)
        memory.header.pointee.eventCredits.store(credits.granted, ordering: .releasing)
        guard raised.status != .ok else { return }
        if refusedEvents.count == 256 { refusedEvents.removeFirst() }
        refusedEvents.append((number, raised.status))
    }

    /// Lets the process post again after a time in which the queue was full.
    private func restoreCredits() {
        let before = credits.granted
        credits.restore()
        guard credits.granted != before else { return }
        memory.header.pointee.eventCredits.store(credits.granted, ordering: .releasing)
    }

    // MARK: Calls

    private func call(_ task: UInt64, _ reader: inout ChannelReader) {
        guard let mailbox = reader.number(UInt16.self), mailbox < ChannelLayout.mailboxes,
            let function = reader.number(UInt16.self).flatMap(ChannelCall.init),
            let number = reader.number(UInt32.self)
        else {
            fault = "a call of it cannot be read"
            return
        }
        if let found = tasks.find(task) { enterIfTaken(found) }
        guard unanswered & 1 << UInt64(mailbox) == 0 else {
            fault = "it has made a call before the last one was answered"
            return
        }
        if function.mayBlock {
            unanswered |= 1 << UInt64(mailbox)
            calls.add(
                ChildCalls.Call(
                    function: function, mailbox: Int(mailbox), number: number,
                    message: reader.takeRest()), for: self)
            return
        }
        guard let (status, reply) = make(function, task, &reader), reader.isComplete else {
            fault = "the call \(function) of it cannot be read"
            return
        }
        answer(Int(mailbox), number, status, reply.bytes)
    }

    /// Puts a reply into a mailbox.
    func answer(_ mailbox: Int, _ number: UInt32, _ status: Status, _ bytes: [UInt8]) {
        unanswered &= ~(1 << UInt64(mailbox))
        let before = replies[mailbox]
        if before.bytes > 0 { arena.release(before.at, before.bytes) }
        var at = memory.layout.arenaAt
        var status = status
        var count = UInt64(bytes.count)
        if count > 0 {
            if let chunk = allocate(count) {
                at = chunk
                bytes.withUnsafeBytes {
                    (memory.down + Int(at)).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
                }
            } else {
                (status, count) = (.exhausted, 0)
            }
        }
        replies[mailbox] = (at, count)
        let box = memory.mailbox(mailbox)
        box.pointee.status = status.rawValue
        box.pointee.at = at
        box.pointee.bytes = count
        box.pointee.sequence.store(number, ordering: .sequentiallyConsistent)
        csys_shared_wake(box, 1)
    }

    private func make(
        _ function: ChannelCall, _ task: UInt64, _ reader: inout ChannelReader
    ) -> (Status, ChannelWriter)? {
        var reply = ChannelWriter()
        func status(_ status: Status?) -> (Status, ChannelWriter)? { status.map { ($0, reply) } }
        switch function {
        case .facts:
            guard let facts = services.facts(of: task, plugin: plugin) else {
                return (.stale, reply)
            }
            let found = tasks.find(task)
            let payload = found.flatMap { payloads[$0.index] }
            reply.add(Int32(found.flatMap { index(of: $0) } ?? 0))
            reply.add(facts.kind)
            reply.add(facts.attempt)
            reply.add(facts.reason)
            reply.add(facts.budget)
            reply.add(facts.grace)
            reply.add(payload?.at ?? 0)
            reply.add(payload == nil ? 0 : facts.payloadBytes)
            return (.ok, reply)
        case .report:
            guard let fraction = reader.double(), let text = reader.text() else { return nil }
            return status(services.report(fraction, text, for: task, plugin: plugin))
        case .complete:
            guard let code = reader.number(Int32.self), let hasError = reader.flag(),
                let error = reader.raw(), let count = reader.number(UInt64.self),
                let result = reader.raw()
            else { return nil }
            if count > engine.configuration.resultLimit {
                // The engine refuses a result by its size alone, and does not read it.
                return status(
                    services.complete(
                        task, Status(rawValue: code), error: nil,
                        result: UnsafeRawBufferPointer(
                            start: memory.down, count: Int(clamping: count)), plugin: plugin))
            }
            return status(
                complete(task, Status(rawValue: code), error: hasError ? error : nil, result))
        case .verdict:
            guard let number = reader.number(UInt64.self) else { return nil }
            let verdict =
                number == 0
                ? refusals.last { $0.task == task }?.verdict
                : refusedEvents.last { $0.number == number }?.verdict
            return status(verdict ?? .ok)
        case .keep: return status(services.keep(task, plugin: plugin))
        case .release:
            let verdict = services.release(task, plugin: plugin)
            if let found = tasks.find(task) { refresh(found, isEndedByHost: true) }
            return status(verdict)
        case .raise:
            guard let selector = reader.selector(), let values = reader.values() else {
                return nil
            }
            return status(services.raise(selector, values, for: task, plugin: plugin))
        case .callSub:
            guard let selector = reader.selector(), let values = reader.values() else {
                return nil
            }
            return status(services.callSub(selector, values, plugin: plugin))
        case .waitFor:
            guard let token = reader.number(UInt64.self), let selector = reader.selector(),
                let sender = reader.number(UInt64.self), let isLimited = reader.flag(),
                let limit = reader.number(UInt64.self)
            else { return nil }
            return status(
                waiting(
                    services.waitFor(
                        selector, sender: sender, limit: isLimited ? limit : nil,
                        calls.continuation(token, self), plugin: plugin)))
        case .sleep:
            guard let token = reader.number(UInt64.self), let duration = reader.number(UInt64.self)
            else { return nil }
            return status(
                waiting(
                    services.sleep(duration, calls.continuation(token, self), plugin: plugin)))
        case .date:
            reply.add(services.date)
            return (.ok, reply)
        case .snooze:
            guard let delay = reader.number(UInt64.self) else { return nil }
            return status(services.snooze(task, delay, plugin: plugin))
        case .request:
            reply.add(services.request(of: task, plugin: plugin))
            return (.ok, reply)
        case .owner:
            reply.add(services.owner(of: task, plugin: plugin).map { Int64($0) } ?? -1)
            return (.ok, reply)
        case .trace:
            guard let trace = services.trace(of: task, plugin: plugin) else {
                return (.notFound, reply)
            }
            reply.add(trace.high)
            reply.add(trace.low)
            reply.add(trace.span)
            reply.add(UInt64(trace.flags))
            return (.ok, reply)
        case .register, .submit, .cancelRequests, .pendingRequests, .payload: return nil
        }
    }

    /// Counts a continuation that will be called.
    private func waiting(_ status: Status) -> Status {
        if status == .ok { continuations += 1 }
        return status
    }

    // MARK: The end of the process

    /// The tasks that a process had when it ended.
    struct Left {
        /// Its functions ran for these.
        var running: [TaskReference] = []
        /// The functions of these had returned.
        var pending: [TaskReference] = []
        /// These it had not taken, with the places of their handlers, oldest first for each.
        var untaken: [(task: TaskReference, index: Int)] = []
    }

    /// Reads the record of the thread that ended the process. Returns nil if it contradicts the end.
    private func readLastWords(_ end: ChildEnd) -> LastWords? {
        var words = csys_last_words()
        csys_ring_copy(
            &words, UnsafeRawPointer(memory.lastWords).assumingMemoryBound(to: UInt8.self),
            UInt64(ChannelLayout.lastWordsBytes), 0, UInt64(MemoryLayout.size(ofValue: words)))
        guard let phase = LastWords.Phase(rawValue: words.phase) else { return nil }
        switch end {
        case .signalled(words.signal) where words.kind == csys_words_signal: break
        case .exited where words.kind == csys_words_exit: break
        default: return nil
        }
        return LastWords(
            phase: phase, task: words.task, isOverflow: words.overflow != 0,
            address: words.has_address != 0 ? words.address : nil)
    }

    /// Reads the last records of a process that has ended. Fails its orders, and counts its callbacks as
    /// returned. Returns its tasks.
    func end(_ end: ChildEnd) -> Left {
        drain(all: true)
        lastWords = fault == nil ? readLastWords(end) : nil
        endedWord.store(true, ordering: .releasing)
        isReady = false
        var left = Left()
        for index in windows.indices {
            for (bits, position, _) in windows[index].all {
                let task = TaskReference(bits: bits)
                if recallAtEnd(task, index, position) {
                    left.untaken.append((task, index))
                } else {
                    left.running.append(task)
                }
            }
        }
        left.pending = pending.map { TaskReference(bits: $0) }
        pending = []
        credits.close()
        let calling = self.calling
        self.calling = []
        for bits in calling { engine.callbackReturned(TaskReference(bits: bits)) }
        for (_, entry) in orders { entry.order?.fail() }
        orders = [:]
        return left
    }

    private func recallAtEnd(_ task: TaskReference, _ index: Int, _ position: UInt64) -> Bool {
        let isRecalled = recall(task, index, at: position)
        if !isRecalled, windows[index][position] != nil { windows[index].remove(position) }
        return isRecalled
    }
}
