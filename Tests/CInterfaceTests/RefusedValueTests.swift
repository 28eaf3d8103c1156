// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// Values that a call refuses: the text says which, what its limit is, and what to do.
@Suite("Refused values")
struct RefusedValueTests {
    private func refusal(_ change: (inout curfew_host_config) -> Void) -> String {
        do {
            _ = try TestHost(configure: change)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test("a limit of the configuration that is out of range is refused, not cut")
    func configuration() throws {
        #expect(
            refusal { $0.event_limit = 4_194_305 }.hasSuffix(
                "the configuration cannot be used: event_limit is 4194305; it must be in 1…4,194,304"
            ))
        #expect(
            refusal { $0.max_payload_bytes = 1 << 31 + 1 }.hasSuffix(
                "max_payload_bytes is 2147483649; it must be at most 2,147,483,648 (2 GiB)"))
        #expect(
            refusal { $0.max_result_bytes = .max }.hasSuffix(
                "max_result_bytes is \(UInt64.max); it must be at most 2,147,483,648 (2 GiB)"))
        var requests = curfew_request_config()
        requests.struct_size = UInt32(MemoryLayout<curfew_request_config>.size)
        func refused(_ change: (inout curfew_request_config) -> Void) -> String {
            var changed = requests
            change(&changed)
            return withUnsafePointer(to: &changed) { pointer in refusal { $0.requests = pointer } }
        }
        #expect(
            refused { $0.penalty_ns = 86_400_000_000_001 }.hasSuffix(
                "penalty_ns is 86400000000001; it must be at most 86400000000000 (24 h)"))
        #expect(
            refused { $0.usage_threshold = 1.5 }.hasSuffix(
                "usage_threshold is 1.5; it must be in 0…1"))
        let percents: [(String, WritableKeyPath<curfew_request_config, UInt8>)] = [
            ("low_battery", \.low_battery), ("processor_pressure_10s", \.processor_pressure_10s),
            ("processor_pressure_60s", \.processor_pressure_60s),
            ("memory_pressure_10s", \.memory_pressure_10s),
            ("memory_pressure_60s", \.memory_pressure_60s),
            ("disk_pressure_10s", \.disk_pressure_10s), ("disk_pressure_60s", \.disk_pressure_60s),
        ]
        for (name, path) in percents {
            let text = refused { $0[keyPath: path] = 101 }
            #expect(
                text.contains("\(name) is 101") && text.hasSuffix("must be at most 100"), "\(text)")
        }
        #expect(refusal { $0.event_limit = 4_194_304 } == "none")
        #expect(
            refusal { $0.process_descriptors = 31 }.hasSuffix(
                "process_descriptors is 31; it must be 0 or in 32…1,048,576"))
        #expect(
            refusal { $0.process_memory_bytes = 1 }.hasSuffix(
                "process_memory_bytes is 1; it must be 0 or in 64,000,000…1,000,000,000,000"))
        #expect(
            refusal { $0.process_file_bytes = 1 << 50 }.hasSuffix(
                "process_file_bytes is \(1 << 50); it must be 0 or in 1…1,000,000,000,000"))
        #expect(
            refusal { $0.process_count = 32_769 }.hasSuffix(
                "process_count is 32769; it must be 0 or in 1…32,768"))
        #expect(refusal { ($0.process_count, $0.process_file_bytes) = (1, 1) } == "none")
    }

    @Test("creating without a place for the handle is refused, and nothing is created")
    func noOut() {
        var error = curfew_error.empty
        #expect(Answer(curfew_host_create(nil, nil, &error)) == .invalid)
        #expect(error.text.hasPrefix("out_host is NULL, and no host was created"))
        #expect(Answer(curfew_clock_create(nil, &error)) == .invalid)
        #expect(error.text.hasPrefix("out_clock is NULL, and no clock was created"))
    }

    @Test("the first raise fixes an event's types, and a later one of others is told which")
    func types() throws {
        let host = try TestHost()
        #expect(host.raise("probe:", [.int64(1)]) == .ok)
        var error = curfew_error.empty
        let answer = Parameter.withValues([.text("one")]) { values, count in
            Answer(curfew_host_raise_event(host.raw, "probe:", values, count, &error))
        }
        #expect(answer == .invalid)
        #expect(
            error.text
                == #""probe:" was not raised with (text): its first raise in this host fixed its types as (int64); raise it with those, or raise an event of another name"#
        )
    }

    @Test("a reference beyond the limit is refused with the limit")
    func references() throws {
        let host = try TestHost()
        try host.register { _ in curfew_status(CURFEW_PENDING) }
        let task = try host.launch()
        var error = curfew_error.empty
        while curfew_host_keep_task(host.raw, task, &error) == CURFEW_OK {}
        #expect(
            error.text
                == "task \(task) has 30 references of the embedder's, the most there can be; none was taken: release one first, or share one"
        )
    }

    @Test("a payload over the host's limit is refused with both sizes")
    func payload() throws {
        let host = try TestHost { $0.max_payload_bytes = 3 }
        try host.register { _ in 0 }
        var error = curfew_error.empty
        let bytes: [UInt8] = [1, 2, 3, 4]
        bytes.withUnsafeBytes { bytes in
            var options = curfew_launch_options()
            options.struct_size = UInt32(MemoryLayout<curfew_launch_options>.size)
            options.payload = bytes.baseAddress
            options.payload_bytes = 4
            let status = curfew_host_launch(host.raw, "org.example.tidy", &options, nil, &error)
            #expect(Answer(status) == .tooLarge)
        }
        #expect(
            error.text
                == #""org.example.tidy" was not launched: its payload has 4 bytes, and max_payload_bytes of the host is 3; pass less, or create the host with a larger limit"#
        )
    }
}
