// SPDX-License-Identifier: Apache-2.0
import Curfew
import Foundation
import Scheduling
import TestSupport
import Testing

@Suite("The page of thresholds")
struct ThresholdTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(BuiltProducts.packageRoot)/\(path)", encoding: .utf8)
    }

    /// The rows of a table of the page, each with its cells.
    private static func table(after heading: String) throws -> [[String]] {
        let section = try #require(
            text("Documentation/thresholds.md").components(separatedBy: "\n## \(heading)\n")
                .dropFirst().first
        ).components(separatedBy: "\n## ")[0]
        return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map {
            $0.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        }
    }

    /// The words in backquotes of a cell.
    private static func words(_ cell: String) -> [String] {
        cell.matches(of: #/`([^`]+)`/#).map { String($0.1) }
    }

    @Test("has what `serve` can set, with the defaults that it uses")
    func host() throws {
        let run = try ChildProcess.run(
            BuiltProducts.path(ofProduct: "curfew"), ["help", "serve"], limit: .seconds(30))
        let help = try #require(
            run.output.components(separatedBy: "\nthresholds:\n").dropFirst().first
        ).components(separatedBy: "\n\n")[0]
        // A row of help begins with two blanks, and its further lines with more.
        var settable: [String: String] = [:]
        for row in help.replacing(#/\n {3,}/#, with: " ").split(separator: "\n")
        where row.contains("; default ") {
            let name = try #require(row.split(separator: " ").first)
            let value = try #require(row.components(separatedBy: "; default ").last)
            settable[String(name)] = value
        }
        #expect(settable.count > 20)
        var documented = try Dictionary(
            uniqueKeysWithValues: Self.table(after: "Of a host").map {
                (try #require(Self.words($0[0]).first), $0[2])
            })
        // An app tells when it is used; `serve` runs none.
        #expect(documented.removeValue(forKey: "usage-threshold") == "none")
        #expect(documented == settable)
    }

    @Test("names fields of C's configuration, all of them, and properties of Swift's")
    func fields() throws {
        let rows = try Self.table(after: "Of a host")
        let configuration = try #require(
            Self.text("include/curfew/config.h")
                .components(separatedBy: "typedef struct curfew_request_config {").last?
                .components(separatedBy: "} curfew_request_config;").first)
        let fields = Set(configuration.matches(of: #/\n    \w+ (\w+);/#).map { String($0.1) })
            .filter { !$0.hasPrefix("no_") && !$0.hasPrefix("reserved") }
            .subtracting(["struct_size", "reads_machine"])
        let names = Set(
            rows.flatMap { Self.words($0[0]) }.map {
                $0.replacing("-", with: "_")
            })
        #expect(Set(fields.map { $0.hasSuffix("_ns") ? String($0.dropLast(3)) : $0 }) == names)
        let surface = try Self.text("Tests/SurfaceTests/curfew-surface.txt")
        for word in rows.flatMap({ Self.words($0[3]) }) {
            let property = word.hasPrefix("dayLimits.") ? word.dropFirst(10) : word[...]
            let isPublic = ["RequestConfiguration", "MachineThresholds", "DayLimits"].contains {
                surface.contains("\nvar \($0).\(property): ")
            }
            #expect(isPublic, "\(word) is not in Swift")
        }
    }

    @Test("has the defaults of tasks and of requests")
    func requests() throws {
        let rows = try Self.table(after: "Of a task and of a request")
        let retry = RetryPolicy(attempts: 2)
        let span = { (nanoseconds: UInt64) in "\(SpanText(nanoseconds: nanoseconds))" }
        #expect(
            rows.map { $0[1] } == [
                span(TaskKind.appRefresh.defaultBudget), span(TaskKind.processing.defaultBudget),
                span(TaskKind.defaultGrace), "none",
                "\(RequestDescription(for: "org.example.a").retry.attempts)", span(retry.base),
                span(retry.longest), "none", "\(RequestLimits().payloadBytes >> 20) MiB",
                "\(RequestLimits().attemptCount)",
            ])
        #expect(
            rows[5][2] == "\(span(RetryPolicy.pauseRange.lowerBound)) to "
                + "\(RetryPolicy.pauseRange.upperBound / 86_400_000_000_000) days")
        #expect(rows[5][0].contains("\(Int(retry.jitter * 100)) %"))
    }
}
