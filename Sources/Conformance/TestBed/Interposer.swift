// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import CurfewValues
import Glibc
import PluginBridge

/// A host's table for a plugin, made so that what the plugin must not do is noticed, and in front of
/// the real one, which does the work.
///
/// The kit never looks into a plugin's memory but through what the plugin passes, like any host.
final class Interposer: EntryInterposer {
    /// The layout of the host's structs in memory.
    enum Structs: Sendable {
        case plain
        /// The byte after the last one of a struct cannot be touched.
        case guarded
        /// Structs have grown at the end, as those of a later host.
        case larger
    }

    /// The placement of a task's payload.
    enum Payload: Sendable {
        case hosts
        /// Cannot be written to.
        case readOnly
        /// Memory whose end is followed by an unreadable page.
        case guarded
        /// Cannot be read any more once the task is over.
        case poisoned
    }

    /// A function of the table that fails, and its status.
    struct Refusal: Sendable {
        let function: String
        let status: Status
        /// The number of calls that succeed before.
        var after = 0
        /// The number of calls that fail then.
        var times = Int.max
    }

    /// Returns an interposer that only observes, if a handler has an entry.
    static func ifEntry(_ run: CaseRun) throws -> Interposer? {
        try run.manifest.handlers.contains { $0.form == .entry } ? Interposer() : nil
    }

    /// A fault that was noticed.
    enum Finding: Sendable, Hashable {
        /// A call on a thread that its tag does not allow.
        case thread(String)
        /// A call at a time that its tag does not allow.
        case state(String)
        case unknownStatus(String)
        case noMessage(String)
        /// The duration of a callback, in nanoseconds.
        case expiration(UInt64)
        /// Parts of the thread's state that have changed.
        case signalMask, signalStack, floatControl
        /// Another part of it, worded to follow "changed".
        case threadTrait(String)
        case tailWritten(String)
        /// The size of a struct, which the host has set, is another one.
        case sizeWritten(String)
        /// A struct of the plugin's, worded as a sentence's rest.
        case badStruct(String)
        /// One that could be of a later version.
        case laterStruct(String)
        /// A task was completed that the plugin had answered for, or was never given.
        case completion(String)
        /// A call for a task after its completion: the function, and what it did.
        case afterCompletion(String)
        /// A call after the plugin was retired, or in another process.
        case afterRetire(String)
        /// A text without an end.
        case unterminated(String)
    }

    private struct State {
        var findings: [Finding] = []
        var isEntering = false
        /// Addresses, by task.
        var payloads: [UInt64: UInt] = [:]
        var sizes: [UInt64: Int] = [:]
        var names: [UInt64: (address: UInt, length: Int)] = [:]
        var completed: Set<UInt64> = []
        /// How each task was answered first: by a call, or by what its function returned.
        var answers: [UInt64: Answer] = [:]
        /// The tasks whose expiration callbacks are at work.
        var stopping: Set<UInt64> = []
        var isRetired = false
        var asked: [String] = []
        var called = 0
        var refused = 0
        /// The references that tasks have, by task: the function's own, and those that were kept.
        var references: [UInt64: Int] = [:]
        var pending: Set<UInt64> = []
        /// The identifiers of handlers with an expiration callback.
        var callingBack: Set<String> = []
        var expiring = 0
    }

    /// The first answer of the plugin for a task.
    private struct Answer {
        let thread: UInt64
        /// It had been told to stop. Then its function and its callback may both answer.
        let wasStopped: Bool
        /// By complete, and not by what its function returned.
        let isCall: Bool
    }

    private let structs: Structs
    private let payload: Payload
    private let hasExtensions: Bool
    private let refusal: Refusal?
    private let chaos: Locked<Chaos?>
    /// The plugin's own allocations can be made to fail.
    nonisolated(unsafe) private(set) var failsAllocations = false
    private let isShortOfMemory: Bool
    private let tags: HeaderTags
    private let state = Locked(State())
    /// The host's own, once the entry was called. Written on the loading thread before any other
    /// has this object's table.
    nonisolated(unsafe) var real: UnsafePointer<curfew_host_api>!
    nonisolated(unsafe) private var table: UnsafePointer<curfew_host_api>!
    private let process = getpid()
    nonisolated(unsafe) private var whenRetired: (@Sendable (String) -> Void)?
    /// An address in the library's code, once the entry was called.
    nonisolated(unsafe) private(set) var code: UnsafeRawPointer?

    static var tail: Int { 64 }
    static var filler: UInt8 { 0xA5 }

    init(
        structs: Structs = .plain, payload: Payload = .hosts, hasExtensions: Bool = true,
        refusal: Refusal? = nil, chaos: Chaos? = nil, isShortOfMemory: Bool = false,
        survivesWithoutMemory: Bool = false
    ) {
        self.structs = structs
        self.payload = payload
        self.hasExtensions = hasExtensions
        self.refusal = refusal
        self.chaos = Locked(chaos)
        self.isShortOfMemory = isShortOfMemory || (chaos != nil && survivesWithoutMemory)
        tags = .current
    }

    var findings: [Finding] { state.withLock { $0.findings } }
    /// The ids of extensions that were asked for.
    var extensionsAsked: [String] { state.withLock { $0.asked } }
    /// The number of refused calls.
    var refusals: Int { state.withLock { $0.refused } }

    func find(_ finding: Finding) { state.withLock { $0.findings.append(finding) } }

    // MARK: The entry

    func enter(
        _ entry: Entry, _ api: UnsafePointer<curfew_host_api>,
        _ info: UnsafeMutablePointer<curfew_plugin_info>,
        _ error: UnsafeMutablePointer<curfew_error>
    ) -> curfew_status {
        real = api
        table = makeTable()
        code = unsafeBitCast(entry, to: UnsafeRawPointer.self)
        if isShortOfMemory { failsAllocations = csys_can_fail_allocations(code) }
        state.withLock { $0.isEntering = true }
        defer { state.withLock { $0.isEntering = false } }
        let status = lend(info, "curfew_plugin_info") { info in
            lend(error, "curfew_error") { error in entry(table, info, error) }
        }
        checkEnd(of: error.pointee, "the error of curfew_plugin_entry")
        if Status(rawValue: status).constant == nil {
            find(.unknownStatus("curfew_plugin_entry returned \(status)"))
        } else if status != 0, error.pointee.message.0 == 0 {
            find(
                .noMessage(
                    "curfew_plugin_entry returned \(Status(rawValue: status).constant ?? String(status)) without a message"
                ))
        }
        return status
    }

    /// The table, and before it what leads from it to this object.
    private func makeTable() -> UnsafePointer<curfew_host_api> {
        let size = MemoryLayout<curfew_host_api>.size
        let room = size + (structs == .larger ? Self.tail : 0)
        // Only cases that check it place nothing after the struct.
        let memory = csys_guarded_map(UInt64(8 + room + (structs == .plain ? Self.tail : 0)))!
        memory.storeBytes(
            of: Unmanaged.passRetained(self).toOpaque(), as: UnsafeMutableRawPointer.self)
        let table = memory + 8
        table.initializeMemory(as: UInt8.self, repeating: Self.filler, count: room)
        table.storeBytes(
            of: curfew_host_api(
                struct_size: UInt32(room), abi: real.pointee.abi,
                register_handler: interposedRegister, task_info: interposedInfo,
                is_expired: interposedIsExpired, remaining_ns: interposedRemaining,
                progress: interposedProgress, complete: interposedComplete,
                keep: interposedKeep, release: interposedRelease, raise: interposedRaise,
                log: interposedLog, extension: interposedExtension),
            as: curfew_host_api.self)
        // A host of its own could have it so as well.
        csys_protect(memory, UInt64(8 + room), true, false)
        return UnsafePointer(table.assumingMemoryBound(to: curfew_host_api.self))
    }

    static func of(_ api: UnsafePointer<curfew_host_api>) -> Interposer {
        let pointer = (UnsafeRawPointer(api) - 8).load(as: UnsafeRawPointer.self)
        return Unmanaged<Interposer>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Lets the plugin have a copy of a struct where this one is to lie in another way, and takes
    /// back what it wrote.
    func lend<T, Result>(
        _ original: UnsafeMutablePointer<T>, _ name: String,
        _ body: (UnsafeMutablePointer<T>) -> Result
    ) -> Result {
        guard structs != .plain else { return body(original) }
        let size = MemoryLayout<T>.size
        let extra = structs == .larger ? Self.tail : 0
        let memory = csys_guarded_map(UInt64(size + extra))!
        memory.initializeMemory(as: UInt8.self, repeating: Self.filler, count: size + extra)
        memory.copyMemory(from: original, byteCount: size)
        // Each of them begins with its size.
        memory.storeBytes(of: UInt32(size + extra), as: UInt32.self)
        let copy = memory.assumingMemoryBound(to: T.self)
        let result = body(copy)
        if memory.load(as: UInt32.self) != UInt32(size + extra) { find(.sizeWritten(name)) }
        for index in size..<(size + extra)
        where memory.load(fromByteOffset: index, as: UInt8.self) != Self.filler {
            find(.tailWritten(name))
            break
        }
        UnsafeMutableRawPointer(original).copyMemory(from: memory, byteCount: size)
        UnsafeMutableRawPointer(original).storeBytes(of: UInt32(size), as: UInt32.self)
        return result
    }

    // MARK: What passes

    private func checkEnd(of error: curfew_error, _ name: String) {
        let hasEnd = withUnsafeBytes(of: error.message) { $0.contains(0) }
        if !hasEnd { find(.unterminated("the message of \(name) does not end with NUL")) }
    }

    /// The plugin has been retired: every call from now on is a finding.
    ///
    /// - Parameter found: called with each at once, for those that come when the process ends.
    func retired(_ found: (@Sendable (String) -> Void)? = nil) {
        whenRetired = found
        state.withLock { $0.isRetired = true }
    }

    /// The tasks that were answered, and to which the plugin still has references.
    var heldTasks: [UInt64] {
        state.withLock { state in
            state.answers.keys.filter { state.references[$0, default: 0] > 0 }.sorted()
        }
    }

    /// Notes a call for a task that the same thread has answered before.
    func checkOpen(_ function: String, _ task: curfew_task) {
        let thread = csys_thread_number()
        let isOver = state.withLock { state in
            state.answers[task]?.thread == thread
        }
        if isOver {
            find(
                .afterCompletion("called \(function) for a task that the same thread had answered"))
        }
    }

    /// Looks whether the calling thread may call, and whether it may now.
    func check(_ function: String) {
        if getpid() != process {
            // Seen where the child shares the memory of its parent.
            return find(.afterRetire("called \(function) in a child that it had made (vfork)"))
        }
        if state.withLock({ $0.isRetired }) {
            let text = "called \(function) after it was retired"
            whenRetired?(text)
            return find(.afterRetire(text))
        }
        guard let tag = tags.functions[function] else { return }
        if tag.state == "registering", !state.withLock({ $0.isEntering }) {
            find(.state("called \(function) outside curfew_plugin_entry"))
        } else if tag.thread != "any", thread != tag.thread {
            find(
                .thread(
                    "called \(function) on a thread of the kind \(thread), its tag says \(tag.thread)"
                ))
        }
    }

    /// The role of the calling thread for the host, in the words of the tags.
    private var thread: String {
        guard
            let table = CURFEW_EXT_THREAD_CHECK.withCString({ real.pointee.extension(real, $0) })?
                .assumingMemoryBound(to: curfew_thread_check.self)
        else { return "unknown" }
        return switch table.pointee.current(real) {
        case Int32(CURFEW_THREAD_LOADING): "loading"
        case Int32(CURFEW_THREAD_WORKER): "worker"
        case Int32(CURFEW_THREAD_DEADLINE): "deadline"
        case Int32(CURFEW_THREAD_LOOP): "loop"
        default: "outside"
        }
    }

    /// From now on nothing goes wrong by chance.
    func endChaos() { chaos.withLock { $0 = nil } }

    /// The time that a task is told to have left.
    func remaining(_ time: UInt64) -> UInt64 {
        chaos.withLock { $0 }?.remaining(time) ?? time
    }

    /// Returns the status with which a function should fail, if it should.
    func refused(_ function: String) -> Status? {
        if let chaos = chaos.withLock({ $0 }) { return chaos.refusal(of: function) }
        guard let refusal, refusal.function == function else { return nil }
        return state.withLock { state in
            state.called += 1
            guard state.called > refusal.after, state.refused < refusal.times else { return nil }
            state.refused += 1
            return refusal.status
        }
    }

    /// An extension whose functions take this one's table.
    func `extension`(_ id: UnsafePointer<CChar>) -> UnsafeRawPointer? {
        let name = String(cString: id)
        state.withLock { $0.asked.append(name) }
        guard hasExtensions, real.pointee.extension(real, id) != nil else { return nil }
        return switch name {
        case CURFEW_EXT_THREAD_CHECK: UnsafeRawPointer(Self.threadCheck)
        case CURFEW_EXT_SUBS: UnsafeRawPointer(Self.subs)
        case CURFEW_EXT_REQUESTS: UnsafeRawPointer(Self.requests)
        default: nil
        }
    }

    func hostExtension<T>(_ id: String, as type: T.Type) -> UnsafePointer<T> {
        id.withCString { real.pointee.extension(real, $0)! }.assumingMemoryBound(to: T.self)
    }

    nonisolated(unsafe) private static let threadCheck = {
        let table = UnsafeMutablePointer<curfew_thread_check>.allocate(capacity: 1)
        table.initialize(
            to: curfew_thread_check(
                struct_size: UInt32(MemoryLayout<curfew_thread_check>.size),
                current: { api in
                    let interposer = Interposer.of(api)
                    return interposer.hostExtension(
                        CURFEW_EXT_THREAD_CHECK, as: curfew_thread_check.self
                    )
                    .pointee.current(interposer.real)
                }))
        return table
    }()

    nonisolated(unsafe) private static let requests = {
        let table = UnsafeMutablePointer<curfew_requests>.allocate(capacity: 1)
        table.initialize(
            to: curfew_requests(
                struct_size: UInt32(MemoryLayout<curfew_requests>.size), reserved: 0,
                submit: { api, identifier, options, out, error in
                    if let refused = Interposer.of(api).refused("submit") {
                        ErrorBuffer.fill(
                            error, refused,
                            "as many requests are pending as may be; nothing was submitted")
                        return refused.rawValue
                    }
                    let (host, table) = Interposer.requests(of: api)
                    return table.submit(host, identifier, options, out, error)
                },
                cancel: { api, identifier, error in
                    let (host, table) = Interposer.requests(of: api)
                    return table.cancel(host, identifier, error)
                },
                snooze: { api, task, delay, error in
                    let (host, table) = Interposer.requests(of: api)
                    return table.snooze(host, task, delay, error)
                },
                get_request: { api, task in
                    let (host, table) = Interposer.requests(of: api)
                    return table.get_request(host, task)
                },
                list_pending: { api, after, states, capacity, count, error in
                    let (host, table) = Interposer.requests(of: api)
                    return table.list_pending(host, after, states, capacity, count, error)
                },
                read_payload: { api, request, buffer, capacity, bytes, error in
                    let (host, table) = Interposer.requests(of: api)
                    return table.read_payload(host, request, buffer, capacity, bytes, error)
                },
                get_wall_ns: { api in
                    let (host, table) = Interposer.requests(of: api)
                    return table.get_wall_ns(host)
                },
                get_owner: { api, task in
                    let (host, table) = Interposer.requests(of: api)
                    return table.get_owner(host, task)
                }))
        return table
    }()

    private static func requests(
        of api: UnsafePointer<curfew_host_api>
    ) -> (UnsafePointer<curfew_host_api>, curfew_requests) {
        let interposer = Interposer.of(api)
        return (
            interposer.real,
            interposer.hostExtension(CURFEW_EXT_REQUESTS, as: curfew_requests.self).pointee
        )
    }

    /// Continuations are called with the host's own table, which is as good.
    nonisolated(unsafe) private static let subs = {
        let table = UnsafeMutablePointer<curfew_subs>.allocate(capacity: 1)
        table.initialize(
            to: curfew_subs(
                struct_size: UInt32(MemoryLayout<curfew_subs>.size), reserved: 0,
                call_delayed: { api, sub, values, count in
                    let interposer = Interposer.of(api)
                    return interposer.hostExtension(CURFEW_EXT_SUBS, as: curfew_subs.self)
                        .pointee.call_delayed(interposer.real, sub, values, count)
                },
                wait_for: { api, selector, sender, limit, continuation, data in
                    let interposer = Interposer.of(api)
                    return interposer.hostExtension(CURFEW_EXT_SUBS, as: curfew_subs.self)
                        .pointee.wait_for(
                            interposer.real, selector, sender, limit, continuation, data)
                },
                sleep: { api, duration, continuation, data in
                    let interposer = Interposer.of(api)
                    return interposer.hostExtension(CURFEW_EXT_SUBS, as: curfew_subs.self)
                        .pointee.sleep(interposer.real, duration, continuation, data)
                }))
        return table
    }()

    // MARK: Tasks

    func run(
        _ handler: InterposedHandler, _ task: curfew_task,
        _ error: UnsafeMutablePointer<curfew_error>
    ) -> curfew_status {
        state.withLock { $0.references[task, default: 0] += 1 }
        let isShort = failsAllocations && chaos.withLock { $0 }?.takesMemory() ?? false
        defer { if isShort { csys_fail_allocations(.max, 0) } }
        let status = onThisThread {
            lend(error, "curfew_error") { error in handler.run(handler.data, table, task, error) }
        }
        let isCompleted = state.withLock { $0.completed.contains(task) }
        let known = Status(rawValue: status)
        checkEnd(of: error.pointee, "the error of the function of \"\(handler.identifier)\"")
        if known != .pending {
            answered(task, isCall: false)
        }
        // The result of a task that it has completed is ignored.
        if !isCompleted {
            if known.constant == nil {
                find(
                    .unknownStatus("the function of \"\(handler.identifier)\" returned \(status)"))
            } else if known != .ok, known != .pending, error.pointee.message.0 == 0 {
                find(
                    .noMessage(
                        "the function of \"\(handler.identifier)\" returned \(known.constant ?? "") without a message"
                    ))
            }
        }
        if known == .pending, !isCompleted {
            state.withLock { _ = $0.pending.insert(task) }
        } else {
            drop(task)
        }
        return status
    }

    /// Notes the first answer for a task.
    private func answered(_ task: curfew_task, isCall: Bool) {
        let wasStopped = real.pointee.is_expired(real, task)
        let answer = Answer(thread: csys_thread_number(), wasStopped: wasStopped, isCall: isCall)
        state.withLock { if $0.answers[task] == nil { $0.answers[task] = answer } }
    }

    /// Looks whether a completion is the first answer, or one that could not know of the first.
    private func checkCompletion(of task: curfew_task) {
        let thread = csys_thread_number()
        let text: String? = state.withLock { state in
            guard state.references[task] != nil else {
                return "completed task \(task), which it was never given"
            }
            guard let first = state.answers[task] else { return nil }
            let isOthers = first.thread != thread
            if isOthers, first.wasStopped || state.stopping.contains(task) { return nil }
            return first.isCall
                ? "completed a task twice"
                : "completed a task after its function had returned the answer"
        }
        if let text { find(.completion(text)) }
    }

    /// Calls into the plugin, and looks what is different on the thread afterwards.
    private func onThisThread<Result>(_ body: () -> Result) -> Result {
        let mask = csys_signal_mask()
        let stack = csys_get_signal_stack()
        let control = csys_float_control()
        let traits = Traits(csys_thread_traits)
        let result = body()
        for change in traits.changes(to: Traits(csys_thread_traits)) { find(.threadTrait(change)) }
        if csys_signal_mask() != mask { find(.signalMask) }
        let now = csys_get_signal_stack()
        if now.address != stack.address || now.flags != stack.flags { find(.signalStack) }
        if csys_float_control() != control { find(.floatControl) }
        return result
    }

    /// A reference to a task is gone; with the last one goes the payload.
    func drop(_ task: curfew_task) {
        let isLast = state.withLock { state in
            state.references[task, default: 0] -= 1
            return state.references[task] == 0
        }
        if isLast { poison(task) }
    }

    func keep(_ task: curfew_task) {
        state.withLock { $0.references[task, default: 0] += 1 }
    }

    func expired(
        _ handler: InterposedHandler, _ task: curfew_task, _ reason: curfew_reason
    ) {
        state.withLock { state in
            state.expiring += 1
            state.stopping.insert(task)
        }
        let start = csys_monotonic_ns()
        onThisThread { handler.expired?(handler.data, table, task, reason) }
        let time = csys_monotonic_ns() &- start
        state.withLock { state in
            state.expiring -= 1
            state.stopping.remove(task)
            state.findings.append(.expiration(time))
        }
    }

    func noteCallback(of handler: String) {
        state.withLock { _ = $0.callingBack.insert(handler) }
    }

    /// Whether a handler was registered with an expiration callback.
    func callsBack(_ handler: String) -> Bool {
        state.withLock { $0.callingBack.contains(handler) }
    }

    /// Waits until no expiration callback is at work. False where one goes on and on.
    func waitForCallbacks() -> Bool {
        let until = csys_monotonic_ns() &+ 5_000_000_000
        var word: UInt32 = 0
        while state.withLock({ $0.expiring > 0 }) {
            guard csys_monotonic_ns() < until else { return false }
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 1_000_000)
        }
        return true
    }

    func complete(
        _ task: curfew_task, _ status: curfew_status, _ error: UnsafePointer<CChar>?,
        _ errorBytes: UInt64
    ) {
        checkCompletion(of: task)
        answered(task, isCall: true)
        let wasPending = state.withLock { state in
            state.completed.insert(task)
            return state.pending.remove(task) != nil
        }
        defer { if wasPending { drop(task) } }
        let known = Status(rawValue: status)
        if known.constant == nil {
            find(.unknownStatus("a task was completed with the status \(status)"))
        } else if known != .ok, error == nil || errorBytes == 0 {
            find(.noMessage("a task was completed with \(known.constant ?? "") and without a text"))
        }
    }

    func checkHandler(_ handler: UnsafePointer<curfew_handler>) {
        let size = MemoryLayout<curfew_handler>.size
        guard handler.pointee.struct_size >= size else { return }
        if handler.pointee.struct_size > size {
            find(.laterStruct("curfew_handler of \(handler.pointee.struct_size) bytes"))
        }
        if handler.pointee.reserved != 0 {
            find(.badStruct("registers a curfew_handler whose member reserved is not 0"))
        }
    }

    func checkValues(_ values: UnsafePointer<curfew_value>?, _ count: UInt32) {
        guard let values, count > 0 else { return }
        let stride = Int(values.pointee.struct_size)
        guard stride >= MemoryLayout<curfew_value>.size, stride <= 1_024 else { return }
        for index in 1..<max(1, Int(min(count, 64))) {
            let size = UnsafeRawPointer(values).load(
                fromByteOffset: index * stride, as: UInt32.self)
            guard Int(size) != stride else { continue }
            return find(
                .badStruct(
                    "raises values of which one has the struct_size \(stride), and another one \(size)"
                ))
        }
    }

    /// Fills the members that a later host has, of a struct that is large enough for them.
    func grow(_ info: UnsafeMutablePointer<curfew_task_info>) {
        let (size, given) = (MemoryLayout<curfew_task_info>.size, Int(info.pointee.struct_size))
        guard structs == .larger, given > size else { return }
        find(.laterStruct("curfew_task_info of \(given) bytes"))
        let end = min(given, size + Self.tail)
        (UnsafeMutableRawPointer(info) + size).initializeMemory(
            as: UInt8.self, repeating: 0, count: end - size)
    }

    /// Puts the payload where this one wants it, the first time a task asks.
    func place(_ info: UnsafeMutablePointer<curfew_task_info>, _ task: curfew_task) {
        let needed = MemoryLayout<curfew_task_info>.offset(of: \.payload_bytes)! + 8
        if payload == .poisoned, info.pointee.struct_size >= needed { placeName(info, task) }
        guard payload != .hosts, info.pointee.struct_size >= needed, info.pointee.payload_bytes > 0,
            let original = info.pointee.payload
        else { return }
        let count = Int(info.pointee.payload_bytes)
        let (source, payload) = (UInt(bitPattern: original), payload)
        let address = state.withLock { state -> UInt in
            if let known = state.payloads[task] { return known }
            // Behind what only must not be written there is room, and it is zero.
            let memory = csys_guarded_map(UInt64(count + (payload == .guarded ? 0 : 64)))!
            memory.copyMemory(from: UnsafeRawPointer(bitPattern: source)!, byteCount: count)
            if payload == .readOnly { csys_protect(memory, UInt64(count), true, false) }
            state.payloads[task] = UInt(bitPattern: memory)
            state.sizes[task] = count
            return UInt(bitPattern: memory)
        }
        info.pointee.payload = UnsafeRawPointer(bitPattern: address)
    }

    /// The identifier is the host's as well, and goes with the payload.
    private func placeName(_ info: UnsafeMutablePointer<curfew_task_info>, _ task: curfew_task) {
        let length = strlen(info.pointee.identifier) + 1
        let source = UInt(bitPattern: info.pointee.identifier)
        let address = state.withLock { state -> UInt in
            if let known = state.names[task]?.address { return known }
            let memory = csys_guarded_map(UInt64(length))!
            memory.copyMemory(
                from: UnsafeRawPointer(bitPattern: source)!, byteCount: length)
            state.names[task] = (UInt(bitPattern: memory), length)
            return UInt(bitPattern: memory)
        }
        info.pointee.identifier = UnsafePointer(bitPattern: address)!
    }

    private func poison(_ task: curfew_task) {
        guard payload == .poisoned else { return }
        if let name = state.withLock({ $0.names[task] }) {
            csys_protect(
                UnsafeMutableRawPointer(bitPattern: name.address)!, UInt64(name.length), false,
                false)
        }
        let (address, count) = state.withLock { ($0.payloads[task], $0.sizes[task] ?? 0) }
        if let memory = address.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) {
            csys_protect(memory, UInt64(count), false, false)
        }
    }
}

extension Interposer {
    /// A handler as the plugin registered it.
    final class InterposedHandler: Sendable {
        let interposer: Interposer
        let identifier: String
        nonisolated(unsafe) let data: UnsafeMutableRawPointer?
        let run: curfew_run_function
        let expired: curfew_expired_function?

        init(
            _ interposer: Interposer, _ handler: curfew_handler,
            _ run: @escaping curfew_run_function
        ) {
            self.interposer = interposer
            identifier = handler.identifier.map { String(cString: $0) } ?? ""
            data = handler.handler_data
            self.run = run
            expired = handler.expired
        }
    }
}
