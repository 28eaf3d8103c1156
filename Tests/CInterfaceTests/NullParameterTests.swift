// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// NULL for each parameter that needs a pointer, which Swift cannot write and C can.
@Suite("NULL parameters")
struct NullParameterTests {
    private typealias Call = (UnsafeMutablePointer<curfew_error>) -> curfew_status

    /// Calls each function with NULL for one parameter. A key is the function's name without
    /// `curfew_`, and the parameter's.
    private func calls(
        _ host: OpaquePointer, target: curfew_target, request: curfew_request, task: curfew_task,
        resumable: curfew_resumable
    ) -> [String: Call] {
        let id = "org.example.tidy"
        var count: UInt32 = 0
        var report = curfew_factor_report()
        report.struct_size = UInt32(MemoryLayout<curfew_factor_report>.size)
        let event: curfew_event_function = { _, _ in }
        let continued: curfew_target_continuation = { _, _, _ in }
        var number: UInt64 = 0
        return [
            "clock_create out_clock": { curfew_clock_create(nil, $0) },
            "host_create out_host": { curfew_host_create(nil, nil, $0) },
            "host_get_counts out_counts": { curfew_host_get_counts(host, null(), $0) },
            "host_scan_plugins directory": { curfew_host_scan_plugins(host, null(), nil, $0) },
            "host_load_plugin directory": { curfew_host_load_plugin(host, null(), $0) },
            "host_get_plugin out_state": { curfew_host_get_plugin(host, 0, null(), $0) },
            "host_register_handler handler": {
                curfew_host_register_handler(host, null(), nil, $0)
            },
            "host_get_handler out_state": { curfew_host_get_handler(host, 0, null(), $0) },
            "host_find_handler identifier": {
                curfew_host_find_handler(host, null(), &count, $0)
            },
            "host_find_handler out_index": { curfew_host_find_handler(host, id, null(), $0) },
            "host_release_handler identifier": { curfew_host_release_handler(host, null(), $0) },
            "host_launch identifier": { curfew_host_launch(host, null(), nil, nil, $0) },
            "host_get_task out_state": { curfew_host_get_task(host, task, null(), $0) },
            "host_subscribe selector": {
                curfew_host_subscribe(host, null(), {}, nil, nil, $0)
            },
            "host_subscribe function": {
                curfew_host_subscribe(host, "tidy_done::", null(), nil, nil, $0)
            },
            "host_observe function": {
                curfew_host_observe(host, "tidy_done::", null(), nil, nil, $0)
            },
            "host_expect_event selector": {
                curfew_host_expect_event(host, null(), 0, nil, &number, $0)
            },
            "host_expect_event out_expectation": {
                curfew_host_expect_event(host, "tidy_done::", 0, nil, null(), $0)
            },
            "host_wait_event selector": {
                curfew_host_wait_event(host, null(), 0, nil, 0, nil, $0)
            },
            "host_raise_event selector": { curfew_host_raise_event(host, null(), nil, 0, $0) },
            "host_submit identifier": { curfew_host_submit(host, null(), nil, nil, nil, $0) },
            "host_edit_request options": {
                curfew_host_edit_request(host, request, 0, null(), $0)
            },
            "host_get_request out_state": { curfew_host_get_request(host, request, null(), $0) },
            "host_list_requests out_states": {
                curfew_host_list_requests(host, nil, null(), 1, &count, $0)
            },
            "host_list_requests out_count": {
                curfew_host_list_requests(host, nil, null(), 0, null(), $0)
            },
            "host_list_attempts out_attempts": {
                curfew_host_list_attempts(host, request, null(), 1, &count, $0)
            },
            "host_list_attempts out_count": {
                curfew_host_list_attempts(host, request, null(), 0, null(), $0)
            },
            "host_list_journal out_entries": {
                curfew_host_list_journal(host, 0, 0, null(), 1, &count, $0)
            },
            "host_list_journal out_count": {
                curfew_host_list_journal(host, 0, 0, null(), 0, null(), $0)
            },
            "host_list_hosts out_hosts": {
                curfew_host_list_hosts(host, 0, null(), 1, &count, $0)
            },
            "host_list_hosts out_count": {
                curfew_host_list_hosts(host, 0, null(), 0, null(), $0)
            },
            "host_explain_request out_reports": {
                curfew_host_explain_request(host, request, null(), 1, &count, nil, $0)
            },
            "host_explain_request out_count": {
                curfew_host_explain_request(host, request, &report, 1, null(), nil, $0)
            },
            "host_explain_submit identifier": {
                curfew_host_explain_submit(host, null(), nil, &report, 1, &count, nil, $0)
            },
            "host_explain_submit out_reports": {
                curfew_host_explain_submit(host, id, nil, null(), 1, &count, nil, $0)
            },
            "host_explain_submit out_count": {
                curfew_host_explain_submit(host, id, nil, &report, 1, null(), nil, $0)
            },
            "host_get_factor out_report": {
                curfew_host_get_factor(
                    host, curfew_factor(CURFEW_FACTOR_NETWORK), null(), $0)
            },
            "host_get_day_balance out_balance": {
                curfew_host_get_day_balance(host, null(), $0)
            },
            "host_simulate_launch identifier": {
                curfew_host_simulate_launch(host, null(), nil, $0)
            },
            "host_simulate_expiration identifier": {
                curfew_host_simulate_expiration(host, null(), $0)
            },
            "target_create name": { curfew_target_create(host, null(), nil, &number, $0) },
            "target_create out_target": { curfew_target_create(host, "two", nil, null(), $0) },
            "target_get_counts out_counts": {
                curfew_target_get_counts(host, target, null(), $0)
            },
            "target_add_sub selector": {
                curfew_target_add_sub(host, target, null(), { _, _, _, _ in 0 }, nil, $0)
            },
            "target_add_sub function": {
                curfew_target_add_sub(host, target, "x", null(), nil, $0)
            },
            "target_raise selector": {
                curfew_target_raise(host, target, null(), nil, 0, nil, nil, $0)
            },
            "target_post selector": {
                curfew_target_post(host, target, null(), nil, 0, nil, $0)
            },
            "target_call name": { curfew_target_call(host, target, null(), nil, 0, nil, $0) },
            "target_call_delayed name": {
                curfew_target_call_delayed(host, target, null(), nil, 0, $0)
            },
            "target_wait_for selector": {
                curfew_target_wait_for(host, target, null(), nil, continued, nil, nil, $0)
            },
            "target_wait_for continuation": {
                curfew_target_wait_for(host, target, "x", nil, null(), nil, nil, $0)
            },
            "target_sleep continuation": {
                curfew_target_sleep(host, target, 1, null(), nil, nil, $0)
            },
            "target_forget_sender sender": {
                curfew_target_forget_sender(host, target, null(), $0)
            },
            "target_begin_resumable out_resumable": {
                curfew_target_begin_resumable(host, target, null(), $0)
            },
            "target_fail_resumable text": {
                curfew_target_fail_resumable(host, target, resumable, null(), $0)
            },
            "target_wait_for_resumable continuation": {
                curfew_target_wait_for_resumable(
                    host, target, resumable, nil, null(), nil, nil, $0)
            },
        ]
    }

    /// Returns a NULL that the type does not allow.
    private func null<Pointer>() -> Pointer { unsafeBitCast(0 as UInt, to: Pointer.self) }

    @Test(
        "a NULL where the header asks for a pointer is INVALID, and the error names the parameter")
    func nulls() throws {
        let host = try TestHost(ownLoop: true)
        try host.register { _ in 0 }
        let target = try TestTarget(host)
        let request = host.submit()
        #expect(request.answer == .ok)
        let calls = calls(
            host.raw, target: target.number, request: request.request, task: try host.launch(),
            resumable: target.begin())
        let missing = try parameters().subtracting(calls.keys)
        #expect(missing.isEmpty)
        for (name, call) in calls {
            var error = curfew_error.empty
            #expect(Answer(call(&error)) == .invalid, "\(name)")
            let parameter = name.split(separator: " ")[1]
            #expect(error.text.contains("\(parameter) is NULL"), "\(name)")
        }
    }

    /// Returns the parameters of the exported functions that are pointers and must not be NULL,
    /// without the first one, the object.
    private func parameters() throws -> Set<String> {
        let include = URL(fileURLWithPath: BuiltProducts.packageRoot + "/include/curfew")
        let function = /curfew_status curfew_(?<name>\w+)\((?<parameters>[^()]*)\)\s*CURFEW_TAG/
        let pointer = /(?:\*|(?:_function|_continuation)\s)\s*(?<name>\w+)$/
        var found: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: include.path)
        where path.hasSuffix(".h") && !path.hasSuffix("plugin.h") && !path.hasPrefix("ext/") {
            let text = try String(contentsOf: include.appending(path: path), encoding: .utf8)
            for declared in text.matches(of: function) {
                for parameter in declared.parameters.split(separator: ",").dropFirst() {
                    guard let match = parameter.firstMatch(of: pointer) else { continue }
                    found.insert("\(declared.name) \(match.name)")
                }
            }
        }
        return found
    }
}
