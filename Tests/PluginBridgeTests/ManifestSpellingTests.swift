// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PluginBridge

@Suite("The nearest word")
struct ManifestSpellingTests {
    @Test(
        "counts edits, a swap of neighbours as one",
        arguments: [
            ("", "", 0), ("abc", "abc", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abd", 1),
            ("abc", "ac", 1), ("ac", "abc", 1), ("abc", "acb", 1), ("abcd", "badc", 2),
            ("kitten", "sitting", 3), ("ca", "abc", 3),
        ])
    func distance(_ left: String, _ right: String, _ expected: Int) {
        #expect(ManifestSpelling.distance(Array(left.utf8), Array(right.utf8)) == expected)
    }

    @Test("finds the nearest, and none when all are far")
    func nearest() {
        let words = ["budget", "grace", "event", "events", "id"]
        #expect(ManifestSpelling.nearest(to: "buget", among: words) == "budget")
        #expect(ManifestSpelling.nearest(to: "Budget", among: words) == "budget")
        #expect(ManifestSpelling.nearest(to: "evnets", among: words) == "events")
        #expect(ManifestSpelling.nearest(to: "evnt", among: words) == "event")
        #expect(ManifestSpelling.nearest(to: "di", among: words) == "id")
        #expect(ManifestSpelling.nearest(to: "colour", among: words) == nil)
        #expect(ManifestSpelling.nearest(to: "", among: words) == nil)
        let long = String(repeating: "budget", count: 100_000)
        #expect(ManifestSpelling.nearest(to: long, among: words) == nil)
    }
}
