// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// What one face of the program says of its commands and options: help, the manual, a shell.
enum CommandFaces {
    /// An option with what help writes after its name, "" without a value.
    struct Option: Hashable {
        let letter: String?
        let name: String
        let value: String
    }

    /// The commands in the order of help.
    static func commands() throws -> [String] {
        lines("commands", try CommandRun("help").output).map { line in
            String(line.drop { $0 == " " }.prefix { $0 != " " })
        }
    }

    /// The options that help lists, of a command or of the program.
    static func options(_ command: String?) throws -> Set<Option> {
        let help = try command.map { try CommandRun("help", $0) } ?? CommandRun("help")
        return Set(
            lines("options", help.output).compactMap { line in
                line.firstMatch(of: /^ +(?:(-[a-z]), )?(--[a-z-]+)(?: ([A-Z][^ ]*))?/).map {
                    Option(
                        letter: $0.output.1.map(String.init), name: String($0.output.2),
                        value: $0.output.3.map(String.init) ?? "")
                }
            })
    }

    /// The bold terms of a section of a page, as they are shown.
    static func terms(_ section: String, ofPage command: String?) throws -> [String] {
        let page = try command.map { try CommandRun("man", $0) } ?? CommandRun("man")
        let text = page.output.components(separatedBy: ".SH ").first {
            $0.hasPrefix("\"\(section)\"")
        }
        return (text ?? "").matches(of: /\.TP\n\\fB(.*)\\fR\n/).map {
            String($0.output.1).replacing("\\-", with: "-")
        }
    }

    /// The bold terms of a section of a page with their texts.
    static func rows(_ section: String, ofPage command: String) throws -> [String: String] {
        let page = try CommandRun("man", command).output
        let text = page.components(separatedBy: ".SH ").first { $0.hasPrefix("\"\(section)\"") }
        let items = (text ?? "").components(separatedBy: ".TP\n\\fB").dropFirst()
        return Dictionary(
            items.map { item in
                let parts = item.components(separatedBy: "\\fR\n")
                return (parts[0], parts[1].replacing("\n", with: " "))
            }, uniquingKeysWith: { $1 })
    }

    /// The lines below a heading, up to the next empty one.
    static func lines(_ heading: String, _ text: String) -> [String] {
        let all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let start = all.firstIndex(of: heading + ":") else { return [] }
        return Array(all[(start + 1)...].prefix { !$0.isEmpty })
    }
}
