// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import CurfewValues
import Glibc
import PluginBridge
import Scheduling

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
    static func ifEntry(_ run: CaseRun, checksMemory: Bool = false) throws -> Interposer? {
        try run.manifest.handlers.contains { $0.form == .entry }
            ? Interposer(checksMemory: checksMemory) : nil
    }

    private struct State {
        var findings: [Finding] = []
        var isEntering = false
        var isRetired = false
        /// The ids of extensions that were asked for.
        var asked: [String] = []
        /// Calls of the function that is to fail, and those of them that failed.
        var called = 0
        var refused = 0
        var tasks = FollowedTasks()
        /// The identifiers of handlers with an expiration callback that has not been called yet.
        var uncalled: Set<String> = []
        /// The identifiers of handlers with an expiration callback.
        var callingBack: Set<String> = []
    }

    private let structs: Structs
    private let payloads: PlacedPayloads
    let hasExtensions: Bool
    private let refusal: Refusal?
    private let chaos: Locked<Chaos?>
    let order: CallOrder?
    /// The plugin's own allocations can be made to fail.
    nonisolated(unsafe) private(set) var failsAllocations = false
    private let isShortOfMemory: Bool
    private let checksMemory: Bool
    /// Nor does the runtime of its language survive that there is no descriptor.
    private let survivesWithoutMemory: Bool
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
        structs: Structs = .plain, payload: PlacedPayloads.Placement = .hosts,
        hasExtensions: Bool = true,
        refusal: Refusal? = nil, chaos: Chaos? = nil, order: CallOrder? = nil,
        isShortOfMemory: Bool = false, survivesWithoutMemory: Bool = false,
        checksMemory: Bool = false
    ) {
        self.order = order
        self.checksMemory = checksMemory
        self.structs = structs
        payloads = PlacedPayloads(payload)
        self.hasExtensions = hasExtensions
        self.refusal = refusal
        self.chaos = Locked(chaos)
        self.survivesWithoutMemory = survivesWithoutMemory
        self.isShortOfMemory = isShortOfMemory || (chaos != nil && survivesWithoutMemory)
        tags = .current
    }

    var findings: [Finding] { state.withLock { $0.findings } }
    /// The ids of extensions that were asked for.
    var extensionsAsked: [String] { state.withLock { $0.asked } }
    func noteAsked(_ id: String) { state.withLock { $0.asked.append(id) } }
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
        if checksMemory { CheckedMemory.begin() }
        state.withLock { $0.isEntering = true }
        defer {
            state.withLock { $0.isEntering = false }
            RaceDetector.end()
        }
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
    var heldTasks: [UInt64] { state.withLock { $0.tasks.held } }

    /// Notes a call for a task that the same thread has answered before.
    func checkOpen(_ function: String, _ task: curfew_task) {
        let thread = csys_thread_number()
        if state.withLock({ $0.tasks.wasAnswered(task, by: thread) }) {
            find(
                .afterCompletion("called \(function) for a task that the same thread had answered"))
        }
    }

    /// Notes progress, and whether it is less than before.
    func checkFraction(_ fraction: Double, _ task: curfew_task) {
        guard (0...1).contains(fraction),
            let before = state.withLock({ $0.tasks.report(fraction, of: task) })
        else { return }
        find(.progressBack("reported progress of \(fraction) after \(before)"))
    }

    /// Looks at the answer of a call for a task. A host that is closed, as it is while it retires plugins,
    /// does not tell of those that are over.
    func checked(
        _ function: String, _ task: curfew_task, _ status: curfew_status
    ) -> curfew_status {
        if Status(rawValue: status) == .stale, state.withLock({ $0.tasks.isOver(task) }) {
            find(
                .stale(
                    "called \(function) for task \(task), which is over and to which it has no reference"
                ))
        }
        return status
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
        guard let refusal, function.begins(with: refusal.function) else { return nil }
        return state.withLock { state in
            state.called += 1
            guard state.called > refusal.after, state.refused < refusal.times else { return nil }
            state.refused += 1
            return refusal.status
        }
    }

    // MARK: Tasks

    func run(
        _ handler: InterposedHandler, _ task: curfew_task,
        _ error: UnsafeMutablePointer<curfew_error>
    ) -> curfew_status {
        state.withLock { $0.tasks.keep(task) }
        let chaos = chaos.withLock { $0 }
        let isShort = failsAllocations && chaos?.takesMemory() ?? false
        let descriptors = survivesWithoutMemory ? chaos?.takesDescriptors() : nil
        defer {
            if isShort { csys_fail_allocations(.max, 0) }
            if let descriptors { csys_permit_descriptors(descriptors) }
        }
        order?.functionBegins(task)
        let status = onThisThread {
            lend(error, "curfew_error") { error in handler.run(handler.data, table, task, error) }
        }
        order?.functionReturned(task)
        let isCompleted = state.withLock { $0.tasks.isCompleted(task) }
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
        // Another thread may complete it meanwhile.
        let isPending = known == .pending && state.withLock { $0.tasks.pend(task) }
        if !isPending { drop(task) }
        return status
    }

    /// Notes the first answer for a task.
    private func answered(_ task: curfew_task, isCall: Bool) {
        let (wasStopped, thread) = (real.pointee.is_expired(real, task), csys_thread_number())
        state.withLock {
            $0.tasks.answer(task, by: thread, wasStopped: wasStopped, isCall: isCall)
        }
    }

    /// Calls into the plugin, and looks what is different on the thread afterwards.
    private func onThisThread<Result>(_ body: () -> Result) -> Result {
        let mask = csys_signal_mask()
        let stack = csys_get_signal_stack()
        let control = csys_float_control()
        let traits = Traits(csys_thread_traits)
        RaceDetector.begin()
        let result = body()
        RaceDetector.end()
        for change in traits.changes(to: Traits(csys_thread_traits)) { find(.threadTrait(change)) }
        if csys_signal_mask() != mask { find(.signalMask) }
        let now = csys_get_signal_stack()
        if now.address != stack.address || now.flags != stack.flags { find(.signalStack) }
        if csys_float_control() != control { find(.floatControl) }
        return result
    }

    /// A reference to a task is gone; with the last one goes the payload.
    func drop(_ task: curfew_task) {
        if state.withLock({ $0.tasks.drop(task) }) { payloads.release(task) }
    }

    func keep(_ task: curfew_task) { state.withLock { $0.tasks.keep(task) } }

    func expired(
        _ handler: InterposedHandler, _ task: curfew_task, _ reason: curfew_reason
    ) {
        state.withLock { state in
            state.tasks.beginStop(task)
            state.uncalled.remove(handler.identifier)
        }
        let start = csys_monotonic_ns()
        onThisThread { handler.expired?(handler.data, table, task, reason) }
        let time = csys_monotonic_ns() &- start
        state.withLock { state in
            state.tasks.endStop(task)
            state.findings.append(.expiration(time))
        }
    }

    func noteCallback(of handler: String) {
        state.withLock { state in
            state.callingBack.insert(handler)
            state.uncalled.insert(handler)
        }
    }

    /// Whether a handler's expiration callback is still to be called for the first time.
    func isUncalled(_ handler: String) -> Bool {
        state.withLock { $0.uncalled.contains(handler) }
    }

    /// It was tried often enough.
    func giveUpCalling(_ handler: String) {
        state.withLock { _ = $0.uncalled.remove(handler) }
    }

    /// Whether a handler was registered with an expiration callback.
    func callsBack(_ handler: String) -> Bool {
        state.withLock { $0.callingBack.contains(handler) }
    }

    /// Waits until no expiration callback is at work. False where one goes on and on.
    func waitForCallbacks() -> Bool {
        let until = csys_monotonic_ns() &+ 5_000_000_000
        var word: UInt32 = 0
        while state.withLock({ $0.tasks.areStopping }) {
            guard csys_monotonic_ns() < until else { return false }
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 1_000_000)
        }
        return true
    }

    func complete(
        _ task: curfew_task, _ status: curfew_status, _ error: UnsafePointer<CChar>?,
        _ errorBytes: UInt64
    ) {
        RaceDetector.end()
        let thread = csys_thread_number()
        if let text = state.withLock({ $0.tasks.fault(ofCompleting: task, by: thread) }) {
            find(.completion(text))
        }
        answered(task, isCall: true)
        let wasPending = state.withLock { $0.tasks.complete(task) }
        defer { if wasPending { drop(task) } }
        let known = Status(rawValue: status)
        if known.constant == nil {
            find(.unknownStatus("a task was completed with the status \(status)"))
        } else if known != .ok, error == nil || errorBytes == 0 {
            find(.noMessage("a task was completed with \(known.constant ?? "") and without a text"))
        }
    }

    /// The plugin was told that a task is not complete, for lack of memory, and may complete it with less.
    func permitRetry(_ task: curfew_task) { state.withLock { $0.tasks.permitRetry(task) } }

    /// Whether a completion is such a further one.
    func isRetry(_ task: curfew_task) -> Bool { state.withLock { $0.tasks.takeRetry(task) } }

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
        payloads.place(info, task)
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
