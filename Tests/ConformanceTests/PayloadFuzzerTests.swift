// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Conformance

@Suite("Payloads by chance")
struct PayloadFuzzerTests {
    @Test(
        "name no path outside of the directory of the case",
        arguments: [
            (["", "/a\n", "/b"], "/bed/a\n/bed/b"),
            // Bytes of the first piece were doubled, and those of the second one lost.
            (["", "/a\n/a\n", ""], "/bed/a\n/bed/a\n/bed"),
            (
                [#"{"from":""#, #"/a","/to":"9/b"#, "/c//d"],
                #"{"from":"/bed/a","/bed/to":"9/b/bed/c//d"#
            ),
            (["/etc/passwd"], "/bed/etc/passwd"), (["text"], "text"), ([""], ""),
        ])
    func confined(pieces: [String], payload: String) {
        let bytes = PayloadFuzzer.confined(pieces.map { Array($0.utf8) }, to: Array("/bed".utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == payload)
    }
}
