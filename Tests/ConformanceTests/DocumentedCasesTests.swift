// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite("The table of cases")
struct DocumentedCasesTests {
    @Test("is the one in the documentation")
    func documented() throws {
        try CaseTable.updateIfAsked()
        let found = try String(contentsOfFile: CaseTable.path, encoding: .utf8)
        let isCurrent = try found == CaseTable.page(found)
        #expect(
            isCurrent,
            """
            The table in Documentation/proving-a-plugin.md is not what the cases say; write it \
            again and commit it: CURFEW_UPDATE_TABLE=1 swift test --filter CaseTableTests
            """)
    }
}
