// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CSystem
import CurfewValues
import PluginBridge
import Scheduling
import Synchronization

/// The services of a host for a plugin's table in a process of its own.
///
/// What a task's line says is read there, without a system call. Answers, events, progress, log lines and
/// violations are posted. Everything else asks the host and waits.
final class RemoteServices: TaskServices, @unchecked Sendable {
    // Sendable: the texts are constant and never freed, the claims atomic; the rest locks itself.

    private let channel: ChildChannel
    private let memory: ChannelMemory
    private let roles: ThreadRoles
    private let manifest: Manifest
    /// The identifiers as C has them, by the handlers' places in the manifest.
    private let identifiers: [UnsafePointer<CChar>]
    /// For each task slot the id of the task that this process has completed, or returned from.
    /// Written in the order of the records.
    private let claims: UnsafeMutablePointer<Atomic<UInt64>>
    private let events: PostedEvents
    private let codes = Locked<[String: HandlerCode]>([:])
    private let continuations = Locked(Continuations())

    private struct Continuations {
        var next: UInt64 = 1
        var waiting: [UInt64: PluginContinuation] = [:]
    }

    init?(_ channel: ChildChannel, _ manifest: Manifest, _ roles: ThreadRoles) {
        self.channel = channel
        memory = channel.memory
        self.manifest = manifest
        self.roles = roles
        events = PostedEvents(channel.memory, manifest)
        identifiers = manifest.handlers.map { handler in
            let text = handler.identifier.utf8CString
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
            for (index, byte) in text.enumerated() { copy[index] = byte }
            return UnsafePointer(copy)
        }
        let bytes = ChannelLayout.lines * MemoryLayout<UInt64>.stride
        guard let map = csys_map_sparse(UInt64(bytes)) else { return nil }
        claims = map.bindMemory(to: Atomic<UInt64>.self, capacity: ChannelLayout.lines)
    }

    /// The handlers that the entry has registered.
    var registered: [String: HandlerCode] { codes.withLock { $0 } }

    // MARK: Loading

    func register(_ identifier: String, _ code: HandlerCode, plugin: Int32) -> BridgeError? {
        let refusal = channel.call(.register) {
            $0.add(identifier)
            $0.add(code.expired != nil)
        } _: {
            $0.reader.error()
        }
        guard let refusal else { return BridgeError(.closing, "the host has not answered") }
        if let refusal { return refusal }
        codes.withLock { $0[identifier] = code }
        return nil
    }

    // MARK: A task's line

    @inline(__always)
    private func line(_ task: UInt64) -> UnsafeMutablePointer<LiveLine>? {
        let slot = UInt32(truncatingIfNeeded: task)
        guard slot > 0, slot < ChannelLayout.lines else { return nil }
        return memory.line(slot)
    }

    /// Returns the state of a task, once the host is not about to decide it. It is another task's if
    /// the generation differs.
    private func word(_ task: UInt64) -> LiveWord? {
        guard let line = line(task) else { return nil }
        while true {
            let word = LiveWord(bits: line.pointee.word.load(ordering: .sequentiallyConsistent))
            guard word.generation == UInt32(truncatingIfNeeded: task >> 32) else { return nil }
            if !word.isClosing { return word }
            csys_yield()
        }
    }

    /// Whether a task is there and undecided, so that its line says everything about it.
    private func isLive(_ task: UInt64) -> Bool { word(task).map { !$0.isOver } ?? false }

    func facts(of task: UInt64, plugin: Int32) -> TaskFacts? {
        if isLive(task), let line = line(task) {
            let facts = TaskFacts(
                kind: line.pointee.kind & 0xFFFF, attempt: line.pointee.attempt,
                reason: word(task)?.reason ?? 0, identifier: identifier(line.pointee.kind >> 16),
                payload: payload(line.pointee.payloadAt, line.pointee.payloadBytes),
                payloadBytes: line.pointee.payloadBytes, budget: line.pointee.budget,
                grace: line.pointee.grace)
            if isLive(task) { return facts }
        }
        return channel.call(.facts, task: task) { _ in
        } _: { [self] reply -> TaskFacts? in
            guard reply.status == .ok, let handler = reply.reader.number(Int32.self),
                let kind = reply.reader.number(Int32.self),
                let attempt = reply.reader.number(UInt32.self),
                let reason = reply.reader.number(Int32.self),
                let budget = reply.reader.number(UInt64.self),
                let grace = reply.reader.number(UInt64.self),
                let at = reply.reader.number(UInt64.self),
                let bytes = reply.reader.number(UInt64.self)
            else { return nil }
            return TaskFacts(
                kind: kind, attempt: attempt, reason: reason, identifier: identifier(handler),
                payload: payload(at, bytes), payloadBytes: bytes, budget: budget, grace: grace)
        }
    }

    private func identifier(_ handler: Int32) -> UnsafePointer<CChar> {
        identifiers[min(max(0, Int(handler)), identifiers.count - 1)]
    }

    private func payload(_ at: UInt64, _ bytes: UInt64) -> UnsafeRawPointer? {
        bytes == 0 ? nil : memory.bytes(at: at, count: bytes)?.baseAddress
    }

    func shouldStop(_ task: UInt64, plugin: Int32) -> Bool {
        guard let word = word(task) else { return true }
        return word.isOver || word.reason != 0
    }

    func remaining(of task: UInt64, plugin: Int32) -> UInt64 {
        guard let word = word(task), !word.isOver, word.reason == 0, let line = line(task) else {
            return 0
        }
        let deadline = line.pointee.deadline.load(ordering: .acquiring)
        // The host has not seen that it was taken: the budget begins then.
        if deadline == 0 {
            let budget = line.pointee.budget
            return isLive(task) ? budget : 0
        }
        let now = memory.now
        return deadline > now ? deadline - now : 0
    }

    func request(of task: UInt64, plugin: Int32) -> UInt64 {
        if isLive(task), let line = line(task) {
            let request = line.pointee.request
            if isLive(task) { return request }
        }
        return channel.call(.request, task: task) { _ in
        } _: {
            $0.reader.number(UInt64.self)
        } ?? 0
    }

    func owner(of task: UInt64, plugin: Int32) -> UInt32? {
        let owner = channel.call(.owner, task: task) { _ in
        } _: {
            $0.reader.number(Int64.self)
        }
        return (owner ?? nil).flatMap { UInt32(exactly: $0) }
    }

    func trace(of task: UInt64, plugin: Int32) -> TraceContext? {
        let trace = channel.call(.trace, task: task) { _ in
        } _: { reply -> TraceContext? in
            guard reply.status == .ok, let high = reply.reader.number(UInt64.self),
                let low = reply.reader.number(UInt64.self),
                let span = reply.reader.number(UInt64.self),
                let flags = reply.reader.number(UInt64.self)
            else { return nil }
            return TraceContext(
                high: high, low: low, span: span, flags: UInt8(truncatingIfNeeded: flags))
        }
        return trace ?? nil
    }

    // MARK: Completing

    /// Posts the answer. The verdict is exact without a round trip: the host marks a task as closing
    /// before it reads the ring for the last time and decides, so either it reads this record, or the
    /// mark is seen here.
    func complete(
        _ task: UInt64, _ status: Status, error: UnsafeRawBufferPointer?,
        result: UnsafeRawBufferPointer, plugin: Int32
    ) -> Status {
        guard result.count <= memory.header.pointee.resultLimit, isLive(task) else {
            return ask(task, status, error, result)
        }
        let text = error ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let head = CompletedHead(
            status: status, hasError: error != nil, errorBytes: text.count,
            processorTime: csys_phase_function_cpu_ns(task))
        // Of two answers, or an answer and the return of the function, the one whose record is first
        // decides; the other one asks the host, which has read that record by then.
        let posting = withUnsafeBytes(of: head) { head in
            if text.isEmpty || result.isEmpty {
                return channel.post(
                    .completed, task: task, head, text.isEmpty ? result : text,
                    onlyIf: { claim(task) })
            }
            return (Array(text) + result).withUnsafeBytes {
                channel.post(.completed, task: task, head, $0, onlyIf: { claim(task) })
            }
        }
        switch posting {
        case .posted: break
        case .withheld: return ask(task, status, error, result)
        case .interrupted: return .wrongState
        }
        guard let word = word(task) else {
            return channel.call(.verdict, task: task) { $0.add(UInt64(0)) }
        }
        if word.isEndedByHost { return .expired }
        return word.reason != 0 ? .late : .ok
    }

    /// Returns false when this process has answered for the task before. Called in the order of the
    /// records.
    private func claim(_ task: UInt64) -> Bool {
        guard !isClaimed(task) else { return false }
        (claims + Int(UInt32(truncatingIfNeeded: task))).pointee.store(task, ordering: .relaxed)
        return true
    }

    private func isClaimed(_ task: UInt64) -> Bool {
        (claims + Int(UInt32(truncatingIfNeeded: task))).pointee.load(ordering: .relaxed) == task
    }

    /// Posts that the function of a task has returned, which answers for it unless it is pending.
    func returned(
        _ task: UInt64, _ head: ReturnedHead, message: UnsafeRawBufferPointer
    ) {
        let isAnswer = head.status != Status.pending.rawValue
        withUnsafeBytes(of: head) { bytes in
            _ = channel.post(.returned, task: task, bytes, message) {
                if isAnswer { _ = claim(task) }
                return true
            }
        }
    }

    private func ask(
        _ task: UInt64, _ status: Status, _ error: UnsafeRawBufferPointer?,
        _ result: UnsafeRawBufferPointer
    ) -> Status {
        // A result above the limit is refused unread.
        let isTooLarge = result.count > memory.header.pointee.resultLimit
        return channel.call(.complete, task: task) {
            $0.add(status.rawValue)
            $0.add(error != nil)
            $0.add(error ?? UnsafeRawBufferPointer(start: nil, count: 0))
            $0.add(UInt64(result.count))
            $0.add(isTooLarge ? UnsafeRawBufferPointer(start: nil, count: 0) : result)
        }
    }

    // MARK: Asking the host

    func report(_ fraction: Double, _ text: String, for task: UInt64, plugin: Int32) -> Status {
        func write(_ writer: inout ChannelWriter) {
            writer.add(fraction)
            writer.add(text)
        }
        return post(.reported, task, write) ?? channel.call(.report, task: task, write)
    }

    func keep(_ task: UInt64, plugin: Int32) -> Status { channel.call(.keep, task: task) }

    func release(_ task: UInt64, plugin: Int32) -> Status { channel.call(.release, task: task) }

    func raise(
        _ event: EventSelector, _ values: [EventValue], for task: UInt64, plugin: Int32
    ) -> Status {
        func write(_ writer: inout ChannelWriter) {
            writer.add(event)
            writer.add(values)
        }
        // The host reports what is wrong with any other one.
        let isDeclared =
            line(task).map { events.isDeclared(event, values, by: $0.pointee.kind >> 16) } ?? false
        return (isDeclared ? post(.raised, task, write) : nil)
            ?? channel.call(.raise, task: task, write)
    }

    /// Posts an event of a task that is undecided, if a place is reserved for it. Returns nil if the host
    /// has to be asked. The verdict is exact, as that of `complete`.
    private func post(
        _ kind: ChannelRecord.Kind, _ task: UInt64, _ write: (inout ChannelWriter) -> Void
    ) -> Status? {
        guard isLive(task), let number = events.take() else { return nil }
        var writer = ChannelWriter()
        writer.add(number)
        write(&writer)
        guard writer.bytes.count <= ChannelLayout.postedBytes else {
            events.giveBack()
            return nil
        }
        let posting = writer.bytes.withUnsafeBytes {
            // After an answer that was posted before, the host refuses it.
            channel.post(kind, task: task, $0, onlyIf: { !isClaimed(task) })
        }
        guard posting == .posted else {
            events.giveBack()
            return nil
        }
        if let word = word(task), !word.isOver { return .ok }
        return channel.call(.verdict, task: task) { $0.add(number) }
    }

    func hasSubs(plugin: Int32) -> Bool { manifest.handlers.contains { $0.form == .subs } }

    func callSub(_ selector: EventSelector, _ values: [EventValue], plugin: Int32) -> Status {
        channel.call(.callSub) {
            $0.add(selector)
            $0.add(values)
        }
    }

    func waitFor(
        _ selector: EventSelector, sender: UInt64, limit: UInt64?,
        _ continuation: PluginContinuation, plugin: Int32
    ) -> Status {
        keeping(continuation) { token in
            channel.call(.waitFor) {
                $0.add(token)
                $0.add(selector)
                $0.add(sender)
                $0.add(limit != nil)
                $0.add(limit ?? 0)
            }
        }
    }

    func sleep(_ duration: UInt64, _ continuation: PluginContinuation, plugin: Int32) -> Status {
        keeping(continuation) { token in
            channel.call(.sleep) {
                $0.add(token)
                $0.add(duration)
            }
        }
    }

    private func keeping(
        _ continuation: PluginContinuation, _ ask: (UInt64) -> Status
    ) -> Status {
        let token = continuations.withLock { kept in
            defer { kept.next += 1 }
            kept.waiting[kept.next] = continuation
            return kept.next
        }
        let status = ask(token)
        if status != .ok { _ = takeContinuation(token) }
        return status
    }

    func takeContinuation(_ token: UInt64) -> PluginContinuation? {
        continuations.withLock { $0.waiting.removeValue(forKey: token) }
    }

    // MARK: Requests

    var date: Int64 {
        channel.call(.date) { _ in
        } _: {
            $0.reader.number(Int64.self)
        } ?? 0
    }

    func submit(
        _ identifier: String, _ options: curfew_submit_options, plugin: Int32
    ) -> Result<UInt64, BridgeError> {
        let result = channel.call(.submit) {
            $0.add(identifier)
            $0.add(options)
        } _: { reply -> Result<UInt64, BridgeError>? in
            guard let error = reply.reader.error() else { return nil }
            if let error { return .failure(error) }
            return reply.reader.number(UInt64.self).map { .success($0) }
        }
        return result ?? .failure(Self.noAnswer)
    }

    private static var noAnswer: BridgeError {
        BridgeError(
            .wrongState,
            "the host cannot be asked from a signal handler that interrupts another call of the table"
        )
    }

    func cancelRequests(of identifier: String, plugin: Int32) -> Status {
        channel.call(.cancelRequests) { $0.add(identifier) }
    }

    func pendingRequests(
        after: UInt64, limit: Int, plugin: Int32
    ) -> Result<[curfew_request_state], BridgeError> {
        let result = channel.call(.pendingRequests) {
            $0.add(after)
            $0.add(UInt64(limit))
        } _: { reply -> Result<[curfew_request_state], BridgeError>? in
            guard let error = reply.reader.error() else { return nil }
            if let error { return .failure(error) }
            return reply.reader.structs(curfew_request_state()).map { .success($0) }
        }
        return result ?? .failure(Self.noAnswer)
    }

    func payload(of request: UInt64, plugin: Int32) -> Result<[UInt8], BridgeError> {
        let result = channel.call(.payload) {
            $0.add(request)
        } _: { reply -> Result<[UInt8], BridgeError>? in
            guard let error = reply.reader.error() else { return nil }
            if let error { return .failure(error) }
            return reply.reader.raw().map { .success(Array($0)) }
        }
        return result ?? .failure(Self.noAnswer)
    }

    func snooze(_ task: UInt64, _ after: UInt64, plugin: Int32) -> Status {
        channel.call(.snooze, task: task) { $0.add(after) }
    }

    // MARK: Reports

    func log(_ level: LogLevel, _ text: String, for task: UInt64, plugin: Int32) {
        var writer = ChannelWriter()
        writer.add(level.rawValue)
        writer.add(text)
        channel.post(.log, task: task, writer)
    }

    func violated(
        _ rule: ContractRule, _ did: @autoclosure () -> String, _ answer: @autoclosure () -> String,
        task: UInt64, plugin: Int32
    ) {
        var writer = ChannelWriter()
        writer.add(rule.rawValue)
        writer.add(did())
        writer.add(answer())
        channel.post(.violated, task: task, writer)
    }

    func currentThread() -> Int32 { Int32(roles.current.rawValue) }
}
