// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// Texts of the embedder's that are too long, or not UTF-8.
@Suite("Texts in the C interface")
struct TextTests {
    /// Calls `body` with a C text of these bytes.
    private func with<Answer>(
        _ bytes: [UInt8], _ body: (UnsafePointer<CChar>) throws -> Answer
    ) rethrows -> Answer {
        try (bytes + [0]).withUnsafeBytes {
            try body($0.baseAddress!.assumingMemoryBound(to: CChar.self))
        }
    }

    @Test("a path that is not UTF-8 is refused, and the one that it looks like is left alone")
    func paths() throws {
        let files = try TemporaryDirectory()
        for byte in [UInt8(0xFE), 0xFF] {
            with(Array(files.path("u").utf8) + [byte]) { path in
                let refused = #expect(throws: TestFault.self) { try TestHost { $0.store = path } }
                #expect(refused?.description.contains("is not UTF-8") == true)
                #expect(throws: TestFault.self) { try TestHost { $0.permitted = path } }
            }
        }
        _ = with(Array(files.path(String(repeating: "u/", count: 3_000)).utf8)) { path in
            #expect(throws: TestFault.self) { try TestHost { $0.store = path } }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty)
    }

    @Test("a plugin below a name that is not UTF-8 is not taken for the one beside it")
    func plugins() throws {
        let files = try TemporaryDirectory()
        let manifest = """
            {"id": "org.example.a", "version": "1.0.0", "abi": 0, "library": "libnone.so",
             "handlers": [{"identifier": "org.example.a", "kind": "processing"}]}
            """
        try files.write(manifest, to: "plug\u{FFFD}/manifest.json")
        try files.write(manifest, to: "plug#/manifest.json")
        let host = try TestHost()
        with(Array(files.path("plug").utf8) + [0xFF]) { odd in
            #expect(rename(files.path("plug#"), odd) == 0)
            #expect(Answer(curfew_host_load_plugin(host.raw, odd, nil)) == .invalid)
            #expect(Answer(curfew_host_scan_plugins(host.raw, odd, nil, nil)) == .invalid)
        }
        var found: UInt32 = 0
        #expect(Answer(curfew_host_scan_plugins(host.raw, files.path, &found, nil)) == .ok)
        #expect(found == 1)
        #expect(host.log.value.contains { $0.contains("its name is not UTF-8") })
    }

    @Test("two keys that are repaired to one are not one")
    func keys() throws {
        let host = try TestHost()
        for byte in [UInt8(0xFE), 0xFF] {
            with([0x6B, byte]) { key in
                let answer = host.submit { $0.key = key }
                #expect(answer.answer == .invalid)
                #expect(answer.text.contains("the key"))
            }
        }
        with([UInt8](repeating: 0x6B, count: 257)) { key in
            #expect(host.submit { $0.key = key }.answer == .invalid)
        }
        with([UInt8](repeating: 0x6B, count: 256)) { key in
            #expect(host.submit { $0.key = key }.answer == .ok)
        }
    }

    @Test("names without an end are looked at no further than they may be long")
    func names() throws {
        let host = try TestHost()
        try host.register { _ in 0 }
        let request = host.submit { $0.earliest_ns = 7_000_000_000_000_000_000 }.request
        for bytes in [
            [UInt8](repeating: 0x61, count: 1 << 24), Array("org.example.tidy".utf8) + [0xFF],
        ] {
            with(bytes) { text in
                var count: UInt32 = 9
                #expect(
                    Answer(curfew_host_cancel_requests(host.raw, text, &count, nil)) == .invalid)
                #expect(Answer(curfew_host_pause_handler(host.raw, text, nil)) == .notFound)
                #expect(Answer(curfew_host_resume_handler(host.raw, text, nil)) == .notFound)
                #expect(Answer(curfew_host_release_handler(host.raw, text, nil)) == .notFound)
                #expect(Answer(curfew_host_raise_event(host.raw, text, nil, 0, nil)) == .invalid)
                #expect(Answer(curfew_host_submit(host.raw, text, nil, nil, nil, nil)) == .invalid)
                #expect(
                    Answer(
                        curfew_host_set_setting(
                            host.raw, text, nil, curfew_refresh(CURFEW_REFRESH_AVAILABLE),
                            curfew_enablement(CURFEW_ENABLEMENT_REMOVED), nil)) == .invalid)
                #expect(Answer(curfew_host_simulate_launch(host.raw, text, nil, nil)) == .notFound)
                var subscription: curfew_subscription = 0
                #expect(
                    Answer(curfew_host_expect_event(host.raw, text, 0, nil, &subscription, nil))
                        == .invalid)
                #expect(!curfew_target_has_sub(host.raw, 1, text, 0))
            }
        }
        #expect(host.state(request) == CURFEW_REQUEST_PHASE_PENDING)
    }

    @Test("a cron expression of 16 MB is refused for its length")
    func cron() throws {
        let host = try TestHost()
        let long = String(repeating: "0,", count: 1 << 23) + "0 * * * *"
        let answer = host.submit(cron: long)
        #expect(answer.answer == .invalid)
        #expect(answer.text.contains("1024"), "\(answer.text)")
    }

    @Test("what is said of a factor is kept as far as it can be told")
    func details() throws {
        let host = try TestHost()
        let long = String(repeating: "x", count: 1 << 20)
        #expect(
            Answer(
                curfew_host_override_factor(
                    host.raw, curfew_factor(CURFEW_FACTOR_NETWORK),
                    curfew_factor_value(CURFEW_FACTOR_VALUE_NO), long, nil)) == .ok)
        let report = OutStruct.filled(curfew_factor_report.self) {
            curfew_host_get_factor(host.raw, curfew_factor(CURFEW_FACTOR_NETWORK), $0, nil)
        }.value
        #expect(report.map { host.text($0.detail).utf8.count } == 255)
    }
}
