// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Every rule of B4X's events has a test that carries its number, or a reason why it cannot.
@Suite("B4X: every line")
struct B4XLinesTests {
    private static let doNotApply = [
        5:
            "how B4J and B4A differ from B4i, whose way is taken: a name without its count of colons",
        27: "where generated debug code puts the instance; the values of an event begin at 0 here",
    ]

    @Test("Of the lines 1…28 each has a named test, but for those that do not apply here")
    func lines() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "CurfewTests")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).filter { $0.lastPathComponent.hasPrefix("B4X") }
        let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let tested = Set(text.matches(of: /@Test\(\s*"B4X\.([0-9]+):/).compactMap { Int($0.1) })
        #expect(tested.isDisjoint(with: Self.doNotApply.keys))
        #expect(tested.union(Self.doNotApply.keys) == Set(1...28))
    }
}
