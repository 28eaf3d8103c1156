// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// What a plugin can pass to the host's table.
@Suite("Hostile values")
struct HostileCallTests {
    /// A host with a pending task that its table can be asked about.
    private func pending(
        events: [String] = [], configure: (inout curfew_host_config) -> Void = { _ in }
    ) throws -> (host: TestHost, call: RunCall) {
        let host = try TestHost(configure: configure)
        try host.register(events: events) { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        try host.waitUntilPending(task)
        return (host, host.call(task))
    }

    @Test("ids that are garbage, forged, or of another generation are stale to every call")
    func forgedIds() throws {
        let (host, call) = try pending()
        var ids: [curfew_task] = [0, 1, .max, 1 << 32, 0xFFFF_FFFF, 0xFFFF_FFFF_0000_0000]
        for bit in 32..<64 { ids.append(call.task ^ (1 << UInt64(bit))) }
        ids += [call.task &+ (1 << 32), call.task &- (1 << 32), call.task &+ 1, call.task &- 1]
        for id in ids {
            let forged = RunCall(api: call.api, task: id)
            #expect(forged.complete() == .stale, "\(id)")
            #expect(forged.keep() == .stale)
            #expect(forged.release() == .stale)
            #expect(forged.progress(0.5) == .stale)
            #expect(forged.raise("tidy_done") == .stale)
            #expect(forged.info == nil)
            #expect(forged.isExpired)
            #expect(forged.remaining == 0)
            #expect(host.queryAnswer(id) == .stale)
            #expect(host.cancel(id) == .stale)
            #expect(host.stop(id) == .stale)
            #expect(host.pause(id) == .stale)
            #expect(host.resume(id) == .stale)
            #expect(host.wait(id) == .stale)
            #expect(host.keepTask(id) == .stale)
            #expect(host.release(id) == .stale)
            #expect(host.result(id) == nil)
        }
        #expect(call.complete() == .ok)
    }

    @Test(
        "progress that is no fraction is INVALID",
        arguments: [
            Double.nan, .signalingNaN, .infinity, -.infinity, -0.000_001, 1.000_001, 1e308,
        ])
    func progress(fraction: Double) throws {
        let (host, call) = try pending()
        #expect(call.progress(fraction) == .invalid)
        #expect(try host.query(call.task).progress == 0)
        #expect(host.counts.contract_violations == 1)
        #expect(call.progress(0) == .ok)
        #expect(call.progress(1) == .ok)
        #expect(call.progress(-0.0) == .ok)
    }

    @Test("a progress text is cut at 1 KiB, and NULL is none")
    func progressText() throws {
        let (host, call) = try pending()
        let long = [CChar](repeating: 97, count: 5_000)
        #expect(Answer(call.api.pointee.progress(call.api, call.task, 0.5, long, 5_000)) == .ok)
        #expect(Answer(call.api.pointee.progress(call.api, call.task, 0.5, long, 0)) == .ok)
        #expect(Answer(call.api.pointee.progress(call.api, call.task, 0.5, nil, 0)) == .ok)
        #expect(Answer(call.api.pointee.progress(call.api, call.task, 0.5, nil, .max)) == .ok)
        // Malformed UTF-8, cut in the middle of a character.
        let broken: [UInt8] = [0x61, 0xE2, 0x98]
        broken.withUnsafeBytes { bytes in
            let start = bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
            #expect(Answer(call.api.pointee.progress(call.api, call.task, 0.5, start, 3)) == .ok)
        }
        #expect(call.complete() == .ok)
        #expect(host.shutDown() == .ok)
        let texts = host.all.events.filter { $0.selector == "tidy_progress::" }
            .map { $0.parameters[1] }
        #expect(
            texts == [
                .text(String(repeating: "a", count: 1_024)), .text(""), .text(""), .text(""),
                .text("a\u{FFFD}"),
            ])
    }

    @Test("completing with PENDING, or with a NULL result of some length, is INVALID")
    func completeInvalid() throws {
        let (host, call) = try pending()
        #expect(call.complete(CURFEW_PENDING) == .invalid)
        #expect(
            Answer(call.api.pointee.complete(call.api, call.task, 0, nil, 0, nil, 5)) == .invalid)
        #expect(
            Answer(call.api.pointee.complete(call.api, call.task, 0, nil, 0, nil, .max)) == .invalid
        )
        #expect(host.counts.contract_violations == 3)
        #expect(try host.query(call.task).phase == CURFEW_TASK_PHASE_PENDING)
        #expect(call.complete() == .ok)
    }

    @Test("a result over the limit is TOO_LARGE, and the task goes on")
    func resultTooLarge() throws {
        let (host, call) = try pending { $0.max_result_bytes = 4 }
        #expect(call.complete(result: [1, 2, 3, 4, 5]) == .tooLarge)
        var byte: UInt8 = 1
        for bytes in [UInt64(Int.max), UInt64(Int.max) + 1, .max] {
            #expect(
                Answer(call.api.pointee.complete(call.api, call.task, 0, nil, 0, &byte, bytes))
                    == .tooLarge)
        }
        #expect(try host.query(call.task).phase == CURFEW_TASK_PHASE_PENDING)
        #expect(call.complete(result: [1, 2, 3, 4]) == .ok)
        #expect(host.result(call.task) == [1, 2, 3, 4])
    }

    @Test(
        "an unknown status is a failure",
        arguments: [23, 999, -1, Int(Int32.max), Int(Int32.min)])
    func unknownStatus(status: Int) throws {
        let (host, call) = try pending()
        #expect(call.complete(status, error: "odd") == .ok)
        #expect(
            try Ending(of: call.task, in: host) == Ending(CURFEW_OUTCOME_FAILED, text: "odd"))
    }

    @Test("a function that returns an unknown status has failed")
    func unknownReturn() throws {
        let host = try TestHost()
        try host.register { _ in -77 }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_FAILED)
        #expect(try host.query(task).error_bytes > 0)
    }

    @Test("an error text is cut at 64 KiB and repaired")
    func errorText() throws {
        let (host, call) = try pending()
        let long = [CChar](repeating: 98, count: 70_000)
        #expect(
            Answer(
                call.api.pointee.complete(
                    call.api, call.task, curfew_status(CURFEW_FAILED), long, 70_000, nil, 0)) == .ok
        )
        #expect(try host.query(call.task).error_bytes == 65_536)
        #expect(host.errorText(call.task)?.utf8.count == 65_536)
    }

    @Test("a message without NUL, or of broken UTF-8, does no harm")
    func unterminatedMessage() throws {
        let host = try TestHost()
        try host.register { call in
            if let error = call.error {
                withUnsafeMutableBytes(of: &error.pointee.message) { message in
                    for index in message.indices { message[index] = 0xC3 }
                }
                error.pointee.struct_size = .max
            }
            return curfew_status(CURFEW_FAILED)
        }
        for _ in 0..<2 {
            let task = try host.launch()
            #expect(host.wait(task) == .ok)
            #expect(try host.query(task).outcome == CURFEW_OUTCOME_FAILED)
            #expect(host.errorText(task)?.first == "\u{FFFD}")
        }
    }

    @Test("names that are NULL, endless, empty or no text are INVALID")
    func eventNames() throws {
        let (host, call) = try pending(events: ["tidy_step(text)"])
        let null = unsafeBitCast(UInt(0), to: UnsafePointer<CChar>?.self)
        typealias Raise =
            @convention(c) (
                UnsafePointer<curfew_host_api>, curfew_task, UnsafePointer<CChar>?,
                UnsafePointer<curfew_value>?, UInt32
            ) -> curfew_status
        let raise = unsafeBitCast(call.api.pointee.raise, to: Raise.self)
        #expect(Answer(raise(call.api, call.task, null, nil, 0)) == .invalid)
        let endless = [CChar](repeating: 97, count: 1_000_000) + [0]
        #expect(Answer(raise(call.api, call.task, endless, nil, 0)) == .invalid)
        #expect(Answer(raise(call.api, call.task, [-1, -2, 0], nil, 0)) == .invalid)
        #expect(Answer(raise(call.api, call.task, "tidy_step", nil, 1)) == .invalid)
        #expect(Answer(raise(call.api, call.task, "tidy_step", nil, .max)) == .invalid)
        #expect(host.counts.contract_violations >= 5)
        #expect(call.raise("tidy_step", [.text("fine")]) == .ok)
    }

    @Test("values of unknown types, with NULL texts or impossible sizes are INVALID")
    func eventValues() throws {
        let (host, call) = try pending(events: ["tidy_step(text)", "tidy_number(int32)"])
        func raise(_ event: String, _ change: (inout curfew_value) -> Void) -> Answer {
            var value = curfew_value()
            value.struct_size = UInt32(MemoryLayout<curfew_value>.size)
            change(&value)
            return Answer(call.api.pointee.raise(call.api, call.task, event, &value, 1))
        }
        for type in [0, 6, -1, Int(Int32.max)] {
            #expect(raise("tidy_step") { $0.type = curfew_type(type) } == .invalid)
        }
        #expect(raise("tidy_step") { $0.type = curfew_type(CURFEW_TYPE_TEXT) } == .invalid)
        #expect(
            raise("tidy_step") {
                $0.type = curfew_type(CURFEW_TYPE_TEXT)
                $0.text_bytes = .max
            } == .invalid)
        for size: UInt32 in [0, 1, 39, 41, .max] {
            #expect(
                raise("tidy_number") {
                    $0.type = curfew_type(CURFEW_TYPE_INT32)
                    $0.struct_size = size
                } == .invalid, "\(size)")
        }
        // What does not fit its type.
        for number in [Int64.max, .min, 1 << 31, -(1 << 31) - 1] {
            #expect(
                raise("tidy_number") {
                    $0.type = curfew_type(CURFEW_TYPE_INT32)
                    $0.integer = number
                } == .invalid, "\(number)")
        }
        #expect(call.complete() == .ok)
        #expect(host.shutDown() == .ok)
        #expect(!host.all.events.contains { $0.selector.hasPrefix("tidy_step") })
        #expect(!host.all.events.contains { $0.selector.hasPrefix("tidy_number") })
    }

    @Test("values of a longer version are read by their own distance")
    func longerValues() throws {
        let (host, call) = try pending(events: ["tidy_pair(int32,double)"])
        let stride = MemoryLayout<curfew_value>.size + 16
        let raw = UnsafeMutableRawPointer.allocate(byteCount: 2 * stride, alignment: 16)
        defer { raw.deallocate() }
        raw.initializeMemory(as: UInt8.self, repeating: 0xA5, count: 2 * stride)
        let first = raw.assumingMemoryBound(to: curfew_value.self)
        let second = (raw + stride).assumingMemoryBound(to: curfew_value.self)
        first.pointee = curfew_value()
        first.pointee.struct_size = UInt32(stride)
        first.pointee.type = curfew_type(CURFEW_TYPE_INT32)
        first.pointee.integer = -5
        second.pointee = curfew_value()
        second.pointee.struct_size = UInt32(stride)
        second.pointee.type = curfew_type(CURFEW_TYPE_DOUBLE)
        second.pointee.number = 0.25
        #expect(Answer(call.api.pointee.raise(call.api, call.task, "tidy_pair", first, 2)) == .ok)
        #expect(call.complete() == .ok)
        #expect(host.shutDown() == .ok)
        let seen = host.all.events.first { $0.selector == "tidy_pair::" }
        #expect(seen?.parameters == [.int32(-5), .double(0.25)])
    }

    @Test("log lines: NULL, endless, control characters, unknown levels")
    func log() throws {
        let (host, call) = try pending()
        let api = call.api
        typealias Log =
            @convention(c) (
                UnsafePointer<curfew_host_api>, curfew_task, curfew_log_level,
                UnsafePointer<CChar>?, UInt64
            ) -> Void
        let log = unsafeBitCast(api.pointee.log, to: Log.self)
        log(api, 0, curfew_log_level(CURFEW_LOG_INFO), nil, 5)
        log(api, call.task, 99, "two\nlines\u{1B}[31m", 14)
        log(api, 12_345, -5, "low", 3)
        log(api, 0, curfew_log_level(CURFEW_LOG_CONTRACT_VIOLATION), "I misbehave", 11)
        let endless = [CChar](repeating: 97, count: 100_000)
        log(api, 0, curfew_log_level(CURFEW_LOG_WARNING), endless, 100_000)
        let mark = "\(CURFEW_LOG_CONTRACT_VIOLATION) "
        let (told, lines) = (
            host.log.value.filter { $0.hasPrefix(mark) },
            host.log.value.filter { !$0.hasPrefix(mark) }
        )
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { line in !line.unicodeScalars.contains { $0.value < 32 } })
        #expect(lines.allSatisfy { $0.utf8.count < 5_000 })
        #expect(!told.contains { $0.contains("I misbehave") })
        #expect(
            told.compactMap { $0.firstMatch(of: /CF[0-9]{4}/).map { String($0.output) } }
                == ["CF0711", "CF0726", "CF0726", "CF0726", "CF0712"])
    }

    @Test("an unknown extension is NULL")
    func extensions() throws {
        let (_, call) = try pending()
        typealias Extension =
            @convention(c) (UnsafePointer<curfew_host_api>, UnsafePointer<CChar>?)
            -> UnsafeRawPointer?
        let find = unsafeBitCast(call.api.pointee.extension, to: Extension.self)
        #expect(find(call.api, nil) == nil)
        #expect(find(call.api, "") == nil)
        #expect(find(call.api, "curfew.none/1") == nil)
        #expect(find(call.api, [CChar](repeating: 97, count: 100_000) + [0]) == nil)
        #expect(find(call.api, CURFEW_EXT_THREAD_CHECK) != nil)
    }

    @Test("handlers that are registered with hostile values are refused, one by one")
    func registration() throws {
        let host = try TestHost()
        let answers = Guarded<[Answer]>([])
        let plugin = try HookedPlugin { api, _, error in
            let name = "org.example.hooked"
            let endless = [CChar](repeating: 97, count: 100_000) + [0]
            func attempt(_ change: (inout curfew_handler) -> Void) -> Answer {
                Answer(HookedPlugin.register(name, api, error, change))
            }
            let said = [
                attempt { $0.struct_size = 0 }, attempt { $0.struct_size = 8 },
                attempt { $0.struct_size = .max }, attempt { $0.identifier = nil },
                attempt { $0.run = nil },
                endless.withUnsafeBufferPointer { name in
                    attempt { $0.identifier = name.baseAddress }
                },
                [CChar(-1), 0].withUnsafeBufferPointer { name in
                    attempt { $0.identifier = name.baseAddress }
                },
                [CChar(0)].withUnsafeBufferPointer { name in
                    attempt { $0.identifier = name.baseAddress }
                },
                attempt { _ in },
            ]
            answers.change { $0 = said }
            return 0
        }
        #expect(plugin.load(in: host).answer == .ok)
        #expect(answers.value == [Answer](repeating: .invalid, count: 8) + [.ok])
    }

    @Test("a plugin that breaks its info and error structs in the entry does no harm")
    func brokenInfo() throws {
        let host = try TestHost()
        let plugin = try HookedPlugin { api, info, error in
            info.pointee.struct_size = .max
            error.pointee.struct_size = 0
            error.pointee.code = -1
            return HookedPlugin.register("org.example.hooked", api, error)
        }
        #expect(plugin.load(in: host).answer == .ok)
        #expect(host.wait(try host.launch("org.example.hooked")) == .ok)
    }
}
