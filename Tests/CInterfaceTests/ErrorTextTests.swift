// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Testing

/// Every call that fails writes its status and a text to the caller's error.
@Suite("Error texts")
struct ErrorTextTests {
    private typealias Call = (UnsafeMutablePointer<curfew_error>) -> curfew_status

    private func check(_ status: Int, _ words: String, _ call: Call) {
        var error = curfew_error()
        error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
        #expect(call(&error) == curfew_status(status), "\(words)")
        #expect(error.code == curfew_status(status), "\(words)")
        #expect(error.text.contains(words))
    }

    @Test("about clocks")
    func clocks() throws {
        let host = try TestHost()
        let clock = try #require(host.clock).raw
        check(CURFEW_WRONG_STATE, "a host uses the clock") { curfew_clock_destroy(clock, $0) }
        check(CURFEW_INVALID, "-1 ns") { curfew_clock_set_wall_ns(clock, -1, $0) }
    }

    @Test("about plugins and handlers")
    func handlers() throws {
        let host = try TestHost()
        check(CURFEW_NOT_FOUND, "no plugin has the index 7") { error in
            OutStruct.filled(curfew_plugin_state.self) {
                curfew_host_get_plugin(host.raw, 7, $0, error)
            }.answer.status
        }
        check(CURFEW_NOT_FOUND, "no handler has the index 7") { error in
            OutStruct.filled(curfew_handler_state.self) {
                curfew_host_get_handler(host.raw, 7, $0, error)
            }.answer.status
        }
        var counts = curfew_counts()
        check(CURFEW_INVALID, "curfew_counts.struct_size is not that of any version") {
            curfew_host_get_counts(host.raw, &counts, $0)
        }
        var index: UInt32 = 0
        let words = "no handler is registered for \"org.example.none\""
        let name = "org.example.none"
        check(CURFEW_NOT_FOUND, words) { curfew_host_find_handler(host.raw, name, &index, $0) }
        check(CURFEW_NOT_FOUND, words) { curfew_host_pause_handler(host.raw, name, $0) }
        check(CURFEW_NOT_FOUND, words) { curfew_host_resume_handler(host.raw, name, $0) }
        check(CURFEW_NOT_FOUND, words) { curfew_host_release_handler(host.raw, name, $0) }
    }

    @Test("about tasks")
    func tasks() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        _ = curfew_host_pause_handler(host.raw, nil, nil)
        check(CURFEW_STALE, "task 9 is stale") { curfew_host_wait_task(host.raw, 9, 0, nil, $0) }
        check(CURFEW_STALE, "task 9 is stale") { curfew_host_keep_task(host.raw, 9, $0) }
        let task = try host.launch()
        check(CURFEW_TIMED_OUT, "is not over yet") {
            curfew_host_wait_task(host.raw, task, 0, nil, $0)
        }
        check(CURFEW_INVALID, "the reason is 99") { curfew_host_stop_task(host.raw, task, 99, $0) }
        check(CURFEW_WRONG_STATE, "has not started; cancel it") {
            curfew_host_stop_task(host.raw, task, curfew_reason(CURFEW_REASON_HOST), $0)
        }
        check(CURFEW_WRONG_STATE, "is not paused") { curfew_host_resume_task(host.raw, task, $0) }
        check(CURFEW_WRONG_STATE, "is not over yet") {
            curfew_host_read_task_result(host.raw, task, nil, 0, nil, $0)
        }
        _ = curfew_host_cancel_task(host.raw, task, nil)
        check(CURFEW_ALREADY, "is over") { curfew_host_cancel_task(host.raw, task, $0) }
    }

    @Test("about events")
    func events() throws {
        let host = try TestHost()
        check(CURFEW_NOT_FOUND, "no subscription has the number 77") {
            curfew_host_unsubscribe(host.raw, 77, $0)
        }
        check(CURFEW_NOT_FOUND, "no such expectation") {
            curfew_host_collect_event(host.raw, 77, 0, nil, $0)
        }
        check(CURFEW_INVALID, "\"No\" is not a selector") {
            curfew_host_wait_event(host.raw, "No", 0, nil, 0, nil, $0)
        }
        check(CURFEW_INVALID, "one colon for each of 0 values") {
            curfew_host_raise_event(host.raw, "x:", nil, 0, $0)
        }
        check(CURFEW_DENIED, "the host reserves it") {
            curfew_host_raise_event(host.raw, "curfew_x", nil, 0, $0)
        }
        check(CURFEW_WRONG_STATE, "loop") { curfew_host_dispatch(host.raw, 0, nil, $0) }
    }

    @Test("about targets")
    func targets() throws {
        let host = try TestHost()
        let words = "no target has the number 77"
        check(CURFEW_NOT_FOUND, words) { curfew_target_close(host.raw, 77, $0) }
        check(CURFEW_NOT_FOUND, words) { curfew_target_pause(host.raw, 77, $0) }
        check(CURFEW_NOT_FOUND, words) { curfew_target_cancel_wait(host.raw, 77, 1, $0) }
        var resumable: curfew_resumable = 0
        check(CURFEW_NOT_FOUND, words) {
            curfew_target_begin_resumable(host.raw, 77, &resumable, $0)
        }
        check(CURFEW_NOT_FOUND, words) { curfew_target_finish_resumable(host.raw, 77, 1, nil, $0) }
    }
}
