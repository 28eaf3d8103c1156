// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PluginBridge

@Suite("Durations in a manifest")
struct ManifestDurationTests {
    @Test(
        "a number and a unit make nanoseconds",
        arguments: [
            ("0s", 0), ("1ms", 1_000_000), ("250ms", 250_000_000), ("30s", 30_000_000_000),
            ("1.5s", 1_500_000_000), ("10min", 600_000_000_000), ("1h", 3_600_000_000_000),
            ("0.25h", 900_000_000_000), ("0.000000001s", 1), ("0.0000001ms", 0),
            ("1.999999999ms", 1_999_999), ("007s", 7_000_000_000),
            ("0.999999999h", 3_599_999_996_400), ("999999999h", .max),
            ("5000000h", 18_000_000_000_000_000_000),
        ] as [(String, UInt64)])
    func valid(_ text: String, _ nanoseconds: UInt64) {
        #expect(ManifestDuration.parse(text) == nanoseconds)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "s", "30", "30 s", " 30s", "30s ", "-1s", "+1s", "1.s", ".5s", "1..5s", "1.5.5s",
            "1e3s", "30S", "30sec", "30m", "1d", "1us", "1ns", "1min30s", "1,5s", "1_000ms", "٣s",
            "1234567890s", "1.0123456789s", "1s\u{0}", "∞", "nan", "1mſ",
        ])
    func invalid(_ text: String) {
        #expect(ManifestDuration.parse(text) == nil)
    }

    @Test("the length of the text is bounded")
    func bounded() {
        #expect(ManifestDuration.parse(String(repeating: "1", count: 100_000) + "s") == nil)
        #expect(ManifestDuration.suggestion(for: String(repeating: "1", count: 100_000)) == nil)
    }

    @Test(
        "another spelling leads to the right one",
        arguments: [
            ("30", "30s"), ("30 s", "30s"), ("30sec", "30s"), ("2 Minutes", "2min"), ("5m", "5min"),
            ("1.5 hours", "1.5h"), ("10MS", "10ms"), ("1d", nil), ("x", nil), ("", nil),
            ("1..5s", nil),
            ("-1s", nil), ("٣s", nil),
        ] as [(String, String?)])
    func suggestions(_ text: String, _ expected: String?) {
        #expect(ManifestDuration.suggestion(for: text) == expected)
    }

    @Test("another spelling leads to nothing that would be refused as well")
    func bounds() {
        #expect(ManifestDuration.suggestion(for: "0", in: 1...10) == nil)
        #expect(ManifestDuration.suggestion(for: "5", in: 1...5_000_000_000) == "5s")
    }

    @Test(
        "too many digits are told from what is no duration",
        arguments: [
            ("1234567890s", true), ("12345678901234567890123456789.5h", true),
            ("123456789s", false),
            ("1234567890", false), ("1234567890d", false), ("1.0123456789s", false),
        ])
    func digits(_ text: String, _ isSo: Bool) {
        #expect(ManifestDuration.hasTooManyDigits(text) == isSo)
    }

    @Test("limits are written with the largest whole unit")
    func texts() {
        #expect(ManifestDuration.text(0) == "0s")
        #expect(ManifestDuration.text(1_000_000) == "1ms")
        #expect(ManifestDuration.text(1_500_000_000) == "1500ms")
        #expect(ManifestDuration.text(600_000_000_000) == "10min")
        #expect(ManifestDuration.text(86_400_000_000_000) == "24h")
        #expect(ManifestDuration.text(1_500) == "1500ns")
    }
}
