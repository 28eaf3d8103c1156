// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The threads and descriptors of this process, and the processes below it.
struct Inventory {
    /// Their names.
    let threads: [String]
    /// Their numbers with their files.
    let descriptors: [String]
    /// Their numbers with their names. Processes that have ended count until they are reaped.
    let descendants: [String]

    init() {
        threads = Self.entries(of: "/proc/self/task").map {
            Self.text(of: "/proc/self/task/\($0)/comm")
        }.sorted()
        descriptors = Self.entries(of: "/proc/self/fd").compactMap { number in
            Self.target(of: "/proc/self/fd/\(number)").map { "\(number) \($0)" }
        }.filter { !$0.hasSuffix("/fd") }.sorted()
        descendants = Self.processes(below: getpid()).sorted()
    }

    /// What is there, and was not in another one; empty: nothing.
    func surplus(over other: Inventory) -> String {
        var words: [String] = []
        for (name, now, before) in [
            ("thread", threads, other.threads), ("descriptor", descriptors, other.descriptors),
            ("process", descendants, other.descendants),
        ] {
            var rest = before
            for each in now {
                if let index = rest.firstIndex(of: each) {
                    rest.remove(at: index)
                } else {
                    words.append("\(name) \(each)")
                }
            }
        }
        return words.joined(separator: ", ")
    }

    private static func entries(of path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if Int(name) != nil { names.append(name) }
        }
        return names
    }

    private static func target(of path: String) -> String? {
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = text.withUnsafeMutableBytes {
            readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return count < 0 ? nil : String(decoding: text.prefix(count), as: UTF8.self)
    }

    private static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = read(file, &text, text.count)
        return String(decoding: text.prefix(max(0, count)).filter { $0 != 0x0A }, as: UTF8.self)
    }

    /// The processes whose parents, or whose parents' parents, lead to one.
    private static func processes(below root: pid_t) -> [String] {
        var parents: [pid_t: (parent: pid_t, name: String)] = [:]
        for entry in entries(of: "/proc") {
            // proc_pid_stat(5): the name is in parentheses, and may contain some.
            let text = text(of: "/proc/\(entry)/stat")
            guard let process = pid_t(entry), let first = text.firstIndex(of: "("),
                let last = text.lastIndex(of: ")")
            else { continue }
            let words = text[text.index(after: last)...].split(separator: " ")
            guard words.count > 1, let parent = pid_t(words[1]) else { continue }
            parents[process] = (parent, "\(text[first...last]) \(words[0])")
        }
        return parents.filter { process, _ in
            var above = parents[process]?.parent
            for _ in 0..<parents.count {
                guard let one = above else { return false }
                if one == root { return true }
                above = parents[one]?.parent
            }
            return false
        }.map { "\($0.key) \($0.value.name)" }
    }
}
