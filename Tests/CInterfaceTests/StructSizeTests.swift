// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Testing

/// Every struct that crosses, in an older version, in a newer one, and with a size of 0.
@Suite("Sizes of structs")
struct StructSizeTests {
    /// Calls with a struct of `size` bytes that stands in garbage. Returns the answer and whether
    /// the bytes past `size` are as they were.
    private func fill<Struct>(
        _ type: Struct.Type, size: Int, _ call: (UnsafeMutablePointer<Struct>) -> curfew_status
    ) -> (answer: Answer, untouched: Bool, bytes: [UInt8]) {
        let room = MemoryLayout<Struct>.size + 256
        let raw = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
        defer { raw.deallocate() }
        for index in raw.indices { raw[index] = 0xA5 }
        raw.storeBytes(of: UInt32(size), as: UInt32.self)
        let answer = Answer(call(raw.baseAddress!.assumingMemoryBound(to: Struct.self)))
        return (answer, raw[min(max(size, 4), room)...].allSatisfy { $0 == 0xA5 }, Array(raw))
    }

    /// Checks a struct that the host fills in, at each size that ends with a member.
    private func checkFilled<Struct>(
        _ type: Struct.Type, offsets: [PartialKeyPath<Struct>],
        location: SourceLocation = #_sourceLocation,
        _ call: (UnsafeMutablePointer<Struct>) -> curfew_status
    ) {
        let full = MemoryLayout<Struct>.size
        let whole = fill(type, size: full, call)
        #expect(whole.answer == .ok, sourceLocation: location)
        #expect(whole.untouched, sourceLocation: location)
        for size in [0, 3] {
            let none = fill(type, size: size, call)
            #expect(none.answer == .invalid, sourceLocation: location)
            #expect(none.untouched, sourceLocation: location)
        }
        for offset in offsets.compactMap({ MemoryLayout<Struct>.offset(of: $0) }) {
            let part = fill(type, size: offset, call)
            #expect(part.answer == .ok, "\(offset)", sourceLocation: location)
            #expect(part.untouched, "\(offset)", sourceLocation: location)
            #expect(part.bytes[4..<offset] == whole.bytes[4..<offset], sourceLocation: location)
        }
        for more in [8, 200] {
            let larger = fill(type, size: full + more, call)
            #expect(larger.answer == .ok, sourceLocation: location)
            #expect(larger.untouched, sourceLocation: location)
            #expect(larger.bytes[4..<full] == whole.bytes[4..<full], sourceLocation: location)
        }
    }

    @Test("structs the host fills in: no byte past their size is written")
    func filled() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let task = try host.launch()
        #expect(host.wait(task) == .ok)
        #expect(try HookedPlugin().load(in: host).answer == .ok)
        #expect(host.shutDown() == .ok)
        checkFilled(curfew_task_state.self, offsets: [\.attempt, \.started_ns, \.result_bytes]) {
            curfew_host_get_task(host.raw, task, $0, nil)
        }
        checkFilled(curfew_task_state.self, offsets: [\.attempt, \.started_ns, \.result_bytes]) {
            curfew_host_wait_task(host.raw, task, 0, $0, nil)
        }
        checkFilled(curfew_handler_state.self, offsets: [\.plugin, \.queued, \.launched]) {
            curfew_host_get_handler(host.raw, 0, $0, nil)
        }
        checkFilled(curfew_plugin_state.self, offsets: [\.version, \.handlers]) {
            curfew_host_get_plugin(host.raw, 0, $0, nil)
        }
        checkFilled(curfew_counts.self, offsets: [\.launched, \.events_delivered]) {
            curfew_host_get_counts(host.raw, $0, nil)
        }
        let table = curfew_host_get_api(host.raw)
        checkFilled(curfew_task_info.self, offsets: [\.payload, \.budget_ns]) {
            table.pointee.task_info(table, task, $0)
        }
    }

    @Test("curfew_error: no byte past its size is written, and its text is cut with a NUL")
    func error() throws {
        let host = try TestHost()
        for size in [0, 4, 8] {
            let none = fill(curfew_error.self, size: size) {
                curfew_host_launch(host.raw, "org.example.none", nil, nil, $0)
            }
            #expect(none.answer == .notFound)
            #expect(none.untouched)
        }
        let small = fill(curfew_error.self, size: 24) {
            curfew_host_launch(host.raw, "org.example.none", nil, nil, $0)
        }
        #expect(small.untouched)
        #expect(small.bytes[8..<24].contains(0))
        let larger = fill(curfew_error.self, size: MemoryLayout<curfew_error>.size + 100) {
            curfew_host_launch(host.raw, "org.example.none", nil, nil, $0)
        }
        #expect(larger.untouched)
        #expect(larger.bytes[4] == UInt8(CURFEW_NOT_FOUND))
        let long = String(repeating: "ä", count: 2_000)
        let cut = fill(curfew_error.self, size: MemoryLayout<curfew_error>.size) {
            curfew_host_launch(host.raw, long, nil, nil, $0)
        }
        #expect(cut.untouched)
        let text = cut.bytes[8..<MemoryLayout<curfew_error>.size].prefix { $0 != 0 }
        #expect(text.count < 1_016)
        #expect(String(validating: text, as: UTF8.self) != nil)
    }

    @Test("on success an error is left alone")
    func errorUntouched() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let ok = fill(curfew_error.self, size: MemoryLayout<curfew_error>.size) {
            curfew_host_launch(host.raw, "org.example.tidy", nil, nil, $0)
        }
        #expect(ok.answer == .ok)
        #expect(ok.bytes[4...].allSatisfy { $0 == 0xA5 })
    }

    /// Calls with a struct of the caller's, cut to `size` bytes with garbage behind it.
    private func pass<Struct>(
        _ value: Struct, size: Int, _ call: (UnsafePointer<Struct>) -> curfew_status
    ) -> Answer {
        fill(Struct.self, size: size) { target in
            withUnsafeBytes(of: value) { source in
                let count = min(size, source.count)
                if count > 4 {
                    (UnsafeMutableRawPointer(target) + 4).copyMemory(
                        from: source.baseAddress! + 4, byteCount: count - 4)
                }
            }
            return call(target)
        }.answer
    }

    @Test("curfew_host_config: what an older version lacks is the default; a longer one is fine")
    func hostConfig() {
        func create(_ config: curfew_host_config, _ size: Int) -> Answer {
            pass(config, size: size) {
                var made: OpaquePointer?
                let status = curfew_host_create($0, &made, nil)
                _ = curfew_host_destroy(made, nil, nil)
                return status
            }
        }
        var config = curfew_host_config()
        config.manual_dispatch = true
        #expect(create(config, MemoryLayout<curfew_host_config>.size) == .ok)
        #expect(create(config, MemoryLayout<curfew_host_config>.size + 128) == .ok)
        #expect(create(config, MemoryLayout<curfew_host_config>.offset(of: \.task_limit)!) == .ok)
        #expect(create(config, MemoryLayout<curfew_host_config>.offset(of: \.clock)!) == .ok)
        #expect(create(config, 0) == .invalid)
        #expect(create(config, 1 << 30) == .invalid)
    }

    @Test("curfew_worker_config, in every version")
    func workerConfig() {
        func create(_ pool: curfew_worker_config, _ size: Int) -> Answer {
            pass(pool, size: size) { pool in
                var config = curfew_host_config()
                config.struct_size = UInt32(MemoryLayout<curfew_host_config>.size)
                config.app_refresh = pool
                var made: OpaquePointer?
                let status = curfew_host_create(&config, &made, nil)
                _ = curfew_host_destroy(made, nil, nil)
                return status
            }
        }
        var pool = curfew_worker_config()
        pool.workers = 2
        #expect(create(pool, MemoryLayout<curfew_worker_config>.size) == .ok)
        #expect(create(pool, MemoryLayout<curfew_worker_config>.size + 64) == .ok)
        #expect(create(pool, MemoryLayout<curfew_worker_config>.offset(of: \.nice)!) == .ok)
        #expect(create(pool, 0) == .invalid)
    }

    @Test("curfew_launch_options, in every version")
    func launchOptions() throws {
        let host = try TestHost()
        try host.register { call in
            call.info?.attempt == 1 ? 0 : call.fail("attempt \(call.info?.attempt ?? 0)")
        }
        func launch(_ options: curfew_launch_options, _ size: Int) -> (Answer, curfew_task) {
            var task: curfew_task = 0
            let answer = pass(options, size: size) {
                curfew_host_launch(host.raw, "org.example.tidy", $0, &task, nil)
            }
            return (answer, task)
        }
        var options = curfew_launch_options()
        options.keep = true
        for size in [
            MemoryLayout<curfew_launch_options>.offset(of: \.payload)!,
            MemoryLayout<curfew_launch_options>.offset(of: \.budget_ns)!,
            MemoryLayout<curfew_launch_options>.offset(of: \.attempt)!,
            MemoryLayout<curfew_launch_options>.size, MemoryLayout<curfew_launch_options>.size + 96,
        ] {
            let (answer, task) = launch(options, size)
            #expect(answer == .ok)
            #expect(host.wait(task) == .ok)
            #expect(try host.query(task).outcome == CURFEW_OUTCOME_SUCCEEDED, "\(size)")
        }
        #expect(launch(options, 0).0 == .invalid)
        #expect(launch(options, 4).0 == .invalid)
        #expect(launch(options, 1 << 30).0 == .invalid)
    }

    @Test("curfew_shutdown_options, in every version; a bad one changes nothing")
    func shutdownOptions() throws {
        for (size, wanted) in [
            (0, Answer.invalid), (8, .ok), (16, .ok),
            (MemoryLayout<curfew_shutdown_options>.size, .ok),
            (MemoryLayout<curfew_shutdown_options>.size + 64, .ok), (1 << 30, .invalid),
        ] {
            let host = try TestHost()
            try host.register { _ in 0 }
            let answer = pass(curfew_shutdown_options(), size: size) {
                curfew_host_shutdown(host.raw, $0, nil)
            }
            #expect(answer == wanted, "\(size)")
            #expect(host.tryLaunch().answer == (wanted == .ok ? .closing : .ok))
        }
        let host = try TestHost()
        let answer = pass(curfew_shutdown_options(), size: 0) {
            curfew_host_destroy(host.raw, $0, nil)
        }
        #expect(answer == .invalid)
        #expect(host.tryRegister("org.example.tidy").answer == .ok)
    }

    @Test("curfew_handler and curfew_handler_options, in every version")
    func handlers() throws {
        let host = try TestHost()
        var number = 0
        func register(handler: Int?, options: Int?) -> Answer {
            number += 1
            return "org.example.handler\(number)".withCString { name in
                var description = curfew_handler()
                description.identifier = name
                description.run = { _, _, _, _ in 0 }
                return pass(description, size: handler ?? MemoryLayout<curfew_handler>.size) {
                    description in
                    guard let options else {
                        return curfew_host_register_handler(host.raw, description, nil, nil)
                    }
                    return pass(curfew_handler_options(), size: options) {
                        curfew_host_register_handler(host.raw, description, $0, nil)
                    }.status
                }
            }
        }
        #expect(register(handler: nil, options: nil) == .ok)
        #expect(register(handler: 0, options: nil) == .invalid)
        #expect(register(handler: 24, options: nil) == .invalid)
        let expired = MemoryLayout<curfew_handler>.offset(of: \.expired)!
        #expect(register(handler: expired, options: nil) == .ok)
        #expect(register(handler: MemoryLayout<curfew_handler>.size + 64, options: nil) == .ok)
        let events = MemoryLayout<curfew_handler_options>.offset(of: \.events)!
        let budget = MemoryLayout<curfew_handler_options>.offset(of: \.budget_ns)!
        let size = MemoryLayout<curfew_handler_options>.size
        #expect(register(handler: nil, options: budget) == .ok)
        #expect(register(handler: nil, options: events) == .ok)
        #expect(register(handler: nil, options: size + 64) == .ok)
        #expect(register(handler: nil, options: 0) == .invalid)
        #expect(register(handler: nil, options: 1 << 30) == .invalid)
        // Garbage past `run` was not taken for an expiration callback.
        let task = try host.launch("org.example.handler4")
        #expect(host.wait(task) == .ok)
    }
}
