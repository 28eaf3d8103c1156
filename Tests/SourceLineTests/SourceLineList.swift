// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// All lines of the source documents, in their order: `lines.txt`.
struct SourceLineList {
    let documents: [(name: String, title: String)]
    let lines: [SourceLine]

    static func inRepository() throws -> SourceLineList {
        let path = "\(BuiltProducts.packageRoot)/Tests/SourceLineTests/lines.txt"
        return try SourceLineList(text: String(contentsOfFile: path, encoding: .utf8))
    }

    init(text: String) throws {
        var documents: [(name: String, title: String)] = []
        var lines: [SourceLine] = []
        for (index, row) in text.components(separatedBy: "\n").enumerated()
        where !row.isEmpty && !row.hasPrefix("#") {
            let cells = row.components(separatedBy: " | ")
            if cells.count == 2, row.hasPrefix("document ") {
                documents.append((String(cells[0].dropFirst("document ".count)), cells[1]))
                continue
            }
            guard cells.count == 3, SourceLine.isNumber(cells[0]), !cells[1].isEmpty,
                !cells[2].isEmpty
            else {
                throw SourceLineFault(
                    text: "lines.txt:\(index + 1): this is not `number | statement | mark`: \(row)")
            }
            let mark: SourceLine.Mark =
                switch cells[2] {
                case "-": .tested
                case "open": .open
                default: .cannotApply(cells[2])
                }
            lines.append(SourceLine(number: cells[0], statement: cells[1], mark: mark))
        }
        self.documents = documents
        self.lines = lines
    }
}
