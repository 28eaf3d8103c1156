// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport

/// A target as C has it, with subs and continuations made of closures. Of a host whose loop the test
/// turns. The host keeps the closures: one that needs the target takes it unowned, or neither goes.
final class TestTarget: @unchecked Sendable {
    // Sendable: the C functions take calls from every thread; the rest is guarded or constant.

    /// What a sub answers.
    struct Failing: Error {
        let answer: Answer
        let text: String
    }

    final class Sub: Sendable {
        let body: @Sendable (SeenRaised) throws -> Parameter?
        init(_ body: @escaping @Sendable (SeenRaised) throws -> Parameter?) { self.body = body }
    }

    final class Wait: Sendable {
        let body: @Sendable (Answer, SeenRaised?) -> Void
        init(_ body: @escaping @Sendable (Answer, SeenRaised?) -> Void) { self.body = body }
    }

    let host: TestHost
    let number: curfew_target
    /// What subs and continuations wrote down.
    let notes = Guarded<[String]>([])
    let untaken = Guarded<[String]>([])

    init(
        _ host: TestHost, kind: Int = CURFEW_TARGET_MODULE, takesHostEvents: Bool = false
    ) throws {
        self.host = host
        var options = curfew_target_options()
        options.struct_size = UInt32(MemoryLayout<curfew_target_options>.size)
        options.kind = curfew_target_kind(kind)
        options.takes_host_events = takesHostEvents
        options.target_data = Unmanaged.passUnretained(untaken).toOpaque()
        options.unhandled = { data, event, isPaused in
            let name = (isPaused ? "paused " : "") + String(cString: event.pointee.selector)
            Unmanaged<Guarded<[String]>>.fromOpaque(data!).takeUnretainedValue()
                .change { $0.append(name) }
        }
        host.keep(untaken)
        var number: curfew_target = 0
        let answer = Answer(curfew_target_create(host.raw, "main", &options, &number, nil))
        guard answer == .ok else { throw TestFault(text: "no target: \(answer)") }
        self.number = number
    }

    func note(_ text: String) { notes.change { $0.append(text) } }

    @discardableResult
    func sub(
        _ selector: String, _ body: @escaping @Sendable (SeenRaised) throws -> Parameter?
    ) -> Answer {
        let sub = Sub(body)
        host.keep(sub)
        return Answer(
            curfew_target_add_sub(
                host.raw, number, selector,
                { data, event, out, error in
                    do {
                        let sub = Unmanaged<Sub>.fromOpaque(data!).takeUnretainedValue()
                        guard let value = try sub.body(SeenRaised(event)) else { return 0 }
                        // No text: it would have to stay after the return.
                        Parameter.withValues([value]) { values, _ in out.pointee = values![0] }
                        return 0
                    } catch let failing as Failing {
                        withUnsafeMutableBytes(of: &error.pointee.message) {
                            $0.copyBytes(from: Array(failing.text.utf8) + [0])
                        }
                        return failing.answer.status
                    } catch {
                        return curfew_status(CURFEW_FAILED)
                    }
                }, Unmanaged.passUnretained(sub).toOpaque(), nil))
    }

    /// A sub that notes its name and values.
    func noting(_ selector: String) {
        sub(selector) { [notes] event in
            notes.change { $0.append(event.transcript) }
            return nil
        }
    }

    /// Waits, and notes how that ended.
    @discardableResult
    func wait(
        _ name: String, for selector: String, task: curfew_task = 0, sender: UInt = 0,
        limit: UInt64 = 0, _ body: @escaping @Sendable () -> Void = {}
    ) -> (answer: Answer, wait: curfew_target_wait) {
        var options = curfew_target_wait_options()
        options.struct_size = UInt32(MemoryLayout<curfew_target_wait_options>.size)
        options.task = task
        options.sender = UnsafeRawPointer(bitPattern: sender)
        options.timeout_ns = limit
        var wait: curfew_target_wait = 0
        let answer = Answer(
            curfew_target_wait_for(
                host.raw, number, selector, &options, Self.continuation, continued(name, body),
                &wait, nil))
        return (answer, wait)
    }

    @discardableResult
    func sleep(_ name: String, _ milliseconds: UInt64) -> (answer: Answer, wait: curfew_target_wait)
    {
        var wait: curfew_target_wait = 0
        let answer = Answer(
            curfew_target_sleep(
                host.raw, number, milliseconds * 1_000_000, Self.continuation, continued(name) {},
                &wait, nil))
        return (answer, wait)
    }

    func complete(_ name: String, _ resumable: curfew_resumable) -> Answer {
        Answer(
            curfew_target_wait_for_resumable(
                host.raw, number, resumable, nil, Self.continuation, continued(name) {}, nil, nil))
    }

    func begin() -> curfew_resumable {
        var resumable: curfew_resumable = 0
        _ = curfew_target_begin_resumable(host.raw, number, &resumable, nil)
        return resumable
    }

    func finish(_ resumable: curfew_resumable, _ value: Parameter) -> Answer {
        Parameter.withValues([value]) { values, _ in
            Answer(curfew_target_finish_resumable(host.raw, number, resumable, values, nil))
        }
    }

    private func continued(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) -> UnsafeMutableRawPointer {
        let wait = Wait { [notes] answer, event in
            let text = answer == .ok ? event?.transcript ?? "slept" : "\(answer.status)"
            let failed = answer == .failed ? " \(event?.transcript ?? "")" : ""
            notes.change { $0.append("\(name) \(text)\(failed)") }
            body()
        }
        host.keep(wait)
        return Unmanaged.passUnretained(wait).toOpaque()
    }

    private static let continuation: curfew_target_continuation = { data, status, event in
        Unmanaged<Wait>.fromOpaque(data!).takeUnretainedValue()
            .body(Answer(status), event.map { SeenRaised($0) })
    }

    @discardableResult
    func raise(
        _ selector: String, _ values: [Parameter] = [], sender: UInt = 0
    ) -> (answer: Answer, value: Parameter?, text: String) {
        var out: UnsafeMutablePointer<curfew_event>?
        var error = curfew_error.empty
        let answer = Parameter.withValues(values) { values, count in
            Answer(
                curfew_target_raise(
                    host.raw, number, selector, values, count,
                    UnsafeRawPointer(bitPattern: sender), &out, &error))
        }
        defer { curfew_event_free(out) }
        return (answer, out.flatMap { Parameter($0.pointee.values[0]) }, error.text)
    }

    @discardableResult
    func post(_ selector: String, _ values: [Parameter] = [], sender: UInt = 0) -> Answer {
        Parameter.withValues(values) { values, count in
            Answer(
                curfew_target_post(
                    host.raw, number, selector, values, count,
                    UnsafeRawPointer(bitPattern: sender), nil))
        }
    }

    func call(_ name: String, _ values: [Parameter] = []) -> (answer: Answer, text: String) {
        var error = curfew_error.empty
        let answer = Parameter.withValues(values) { values, count in
            Answer(curfew_target_call(host.raw, number, name, values, count, nil, &error))
        }
        return (answer, error.text)
    }

    @discardableResult
    func callDelayed(_ name: String, _ values: [Parameter] = []) -> Answer {
        Parameter.withValues(values) { values, count in
            Answer(curfew_target_call_delayed(host.raw, number, name, values, count, nil))
        }
    }

    var counts: curfew_target_counts {
        OutStruct.filled(curfew_target_counts.self) {
            curfew_target_get_counts(host.raw, number, $0, nil)
        }.value ?? curfew_target_counts()
    }

    /// Turns the loop until nothing is left.
    func run() { while let count = host.dispatch(), count > 0 {} }
}
