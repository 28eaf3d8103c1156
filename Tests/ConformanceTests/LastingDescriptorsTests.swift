// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Conformance

@Suite("Descriptors that are left open")
struct LastingDescriptorsTests {
    /// What each look finds; the last one goes on.
    private func found(_ looks: [[Int: String]]) -> (left: [Int: String], count: Int) {
        var count = 0
        let left = ProcessFacts.lasting(within: 30_000_000) {
            defer { count += 1 }
            return looks[min(count, looks.count - 1)]
        }
        return (left, count)
    }

    @Test("one that the C library opens for a moment is none")
    func passing() {
        let memory = "/proc/sys/vm/overcommit_memory"
        #expect(found([[7: memory], [:]]) == ([:], 2))
        // It is opened again and again, while another one stays.
        #expect(found([[7: memory, 9: "/a"], [9: "/a"], [7: memory, 9: "/a"]]).left == [9: "/a"])
        // The number is another one's by now.
        #expect(found([[7: memory], [7: "/a"]]).left == [:])
    }

    @Test("one that stays is told, and none takes a single look")
    func staying() {
        #expect(found([[7: "/a"]]).left == [7: "/a"])
        #expect(found([[:]]) == ([:], 1))
    }
}
