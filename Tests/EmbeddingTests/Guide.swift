// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A guide of `Documentation/`, as what its reader does: files to write and commands to run.
///
/// A block of `sh` is run as it stands. Of a block of `console` the lines after `$ ` are run, and
/// what stands below each is what it prints, with `…` for any text. Every other block is a file,
/// whose path ends the line above: "`tidy/tidy.c`:".
struct Guide {
    /// A step, and the line of the guide it begins on.
    struct Step {
        let action: Action
        let line: Int
    }

    enum Action {
        case write(text: String, path: String)
        case run(String)
        /// Runs a command, and compares what it prints.
        case show(String, output: String)
    }

    let name: String
    let text: String
    let steps: [Step]

    init(_ name: String) throws {
        try self.init(
            name,
            text: String(
                contentsOfFile: "\(BuiltProducts.packageRoot)/Documentation/\(name).md",
                encoding: .utf8))
    }

    init(_ name: String, text: String) throws {
        self.name = name
        self.text = text
        var steps: [Step] = []
        var block: (language: String, line: Int, lines: [String])?
        var above = ""
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if line.hasPrefix("```") {
                guard let ended = block else {
                    block = (String(line.dropFirst(3)), index + 1, [])
                    continue
                }
                steps += try Self.steps(
                    ended.language, ended.lines, above: above,
                    place: (name, ended.line))
                block = nil
                above = ""
            } else if block != nil {
                block?.lines.append(line)
            } else if !line.isEmpty {
                above = line
            }
        }
        guard block == nil else { throw TestFault(text: "\(name).md ends inside of a block") }
        self.steps = steps
    }

    private static func steps(
        _ language: String, _ lines: [String], above: String, place: (name: String, line: Int)
    ) throws -> [Step] {
        switch language {
        case "sh":
            return [Step(action: .run(lines.joined(separator: "\n")), line: place.line)]
        case "console":
            return try commands(lines, place)
        default:
            guard let path = above.firstMatch(of: /`([^`]+)`:$/)?.1 else {
                throw TestFault(
                    text: "\(place.name).md:\(place.line): the line above does not end with the"
                        + " path of the file that this block is: `path`:")
            }
            return [
                Step(
                    action: .write(text: lines.joined(separator: "\n") + "\n", path: String(path)),
                    line: place.line)
            ]
        }
    }

    private static func commands(
        _ lines: [String], _ place: (name: String, line: Int)
    ) throws -> [Step] {
        var commands: [(text: String, line: Int, output: [String])] = []
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("$ ") {
                commands.append((String(line.dropFirst(2)), place.line + index + 1, []))
            } else if !commands.isEmpty {
                commands[commands.count - 1].output.append(line)
            } else {
                throw TestFault(
                    text: "\(place.name).md:\(place.line): a console begins with a command: $ …")
            }
        }
        return commands.map {
            Step(
                action: .show($0.text, output: $0.output.joined(separator: "\n")), line: $0.line)
        }
    }
}
