// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A list of members by module: a line a member, below a line `module NAME`.
///
/// `#` begins a comment; after a member it is the reason why it is there.
struct SurfaceTable {
    struct Row {
        let member: SurfaceMember
        let reason: String
    }

    private let rows: [String: [Row]]

    /// Reads a file beside this one.
    init(_ file: String) throws {
        let path = "\(BuiltProducts.packageRoot)/Tests/SurfaceTests/\(file)"
        try self.init(text: String(contentsOfFile: path, encoding: .utf8), file: file)
    }

    init(text: String, file: String) throws {
        var rows: [String: [Row]] = [:]
        var module: String?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let halves = line.split(
                separator: "#", maxSplits: 1, omittingEmptySubsequences: false
            ).map { $0.trimmingCharacters(in: .whitespaces) }
            guard !halves[0].isEmpty else { continue }
            if halves[0].hasPrefix("module ") {
                module = String(halves[0].dropFirst("module ".count))
                continue
            }
            guard let module else {
                throw SurfaceFault(text: "\(file):\(index + 1): a member before any module")
            }
            let row = Row(
                member: try SurfaceMember(line: halves[0]),
                reason: halves.count > 1 ? halves[1] : "")
            rows[module, default: []].append(row)
        }
        self.rows = rows
    }

    /// The rows of a module.
    subscript(module: String) -> [Row] { rows[module] ?? [] }
}
