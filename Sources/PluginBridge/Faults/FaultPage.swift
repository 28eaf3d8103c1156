// SPDX-License-Identifier: Apache-2.0
import CFaults

/// A page of `Documentation/codes`: the faults of one family of codes.
///
/// A page is Markdown with one form. `# ` begins the title, and a preface may follow. `## ` begins a
/// fault, with its code and its name; then come its text in bold, its explanation, and a line
/// `Status: ` with the constant that a call returns, where that is one.
package struct FaultPage: Sendable {
    /// The subject of the codes: "Loading a plugin".
    package let title: String
    /// The faults, in the order of the page.
    package let faults: [Fault]

    /// The pages that are embedded, by ascending codes.
    package static let all: [FaultPage] = {
        var count: UInt64 = 0
        let pages = UnsafeBufferPointer(start: cfaults_pages(&count), count: Int(count))
        return pages.map { page in
            do {
                return try FaultPage(UnsafeBufferPointer(start: page.text, count: Int(page.bytes)))
            } catch {
                preconditionFailure("an embedded page of Documentation/codes, \(error)")
            }
        }
    }()

    /// Reads a page.
    ///
    /// - Throws: ``FaultPageError`` with the first line that does not have the form.
    init(_ markdown: some Collection<UInt8>) throws(FaultPageError) {
        var title: String?
        var faults: [Fault] = []
        var section: Section?
        var number = 0
        for bytes in markdown.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        {
            number += 1
            let line = Substring(decoding: bytes, as: UTF8.self)
            if line.hasPrefix("## ") {
                if let section { faults.append(try section.fault()) }
                section = try Section(heading: line.dropFirst(3), line: number)
            } else if line.hasPrefix("# ") {
                guard title == nil, section == nil else {
                    throw FaultPageError(line: number, reason: "there is a title before this one")
                }
                title = String(line.dropFirst(2))
            } else {
                try section?.add(line, number)
            }
        }
        guard let title else { throw FaultPageError(line: 1, reason: "there is no title") }
        guard let section else { throw FaultPageError(line: number, reason: "there is no fault") }
        faults.append(try section.fault())
        self.title = title
        self.faults = faults
    }

    /// A fault while its lines are read.
    private struct Section {
        let line: Int
        let number: UInt16
        let name: String
        var text: String?
        var explanation = ""
        var status: Status?

        init(heading: Substring, line: Int) throws(FaultPageError) {
            let words = heading.split(separator: " ")
            guard words.count == 2, words[0].hasPrefix("CF"), words[0].utf8.count == 6,
                let number = UInt16(words[0].dropFirst(2))
            else {
                throw FaultPageError(line: line, reason: "the heading is not a code and a name")
            }
            self.line = line
            self.number = number
            name = String(words[1])
        }

        mutating func add(_ line: Substring, _ number: Int) throws(FaultPageError) {
            if line.hasPrefix("**") {
                guard text == nil, explanation.isEmpty, line.hasSuffix("**") else {
                    throw FaultPageError(
                        line: number, reason: "one line in bold stands before the explanation")
                }
                text = String(line.dropFirst(2).dropLast(2))
            } else if line.hasPrefix("Status: ") {
                let constant = line.split(separator: "`").dropFirst().first.map(String.init) ?? ""
                guard status == nil, let named = Status(constant: constant) else {
                    throw FaultPageError(line: number, reason: "no status is called `\(constant)`")
                }
                status = named
            } else if !line.isEmpty {
                guard status == nil else {
                    throw FaultPageError(line: number, reason: "the status is not the last line")
                }
                explanation += (explanation.isEmpty ? "" : " ") + line
            }
        }

        func fault() throws(FaultPageError) -> Fault {
            guard let text, !explanation.isEmpty else {
                throw FaultPageError(line: line, reason: "the fault has no text or no explanation")
            }
            return Fault(number, name, text, explanation, answer: status)
        }
    }
}

/// A page of error codes does not have the form that ``FaultPage`` reads.
struct FaultPageError: Error, Equatable, CustomStringConvertible {
    /// The line, from 1.
    let line: Int
    let reason: String

    var description: String { "line \(line): \(reason)" }
}
