// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling

/// What processes share by name, in a view of it that only this process has: files for a while, shared
/// memory, semaphores and message queues, those of System V included.
struct SharedObjects {
    /// The directory for temporary files that everybody has.
    private static var common: String { "/tmp" }
    /// Each kind of System V's objects, and its name in /proc/sysvipc.
    private static var kinds: [(file: String, name: String)] {
        [
            ("shm", "segment of shared memory"), ("sem", "set of semaphores"),
            ("msg", "message queue"),
        ]
    }

    private let shown: Set<String>
    private let own: String
    private let queues: String

    /// Takes the view, for this thread and those that it starts. Nil where the machine permits none,
    /// or this process has other threads.
    ///
    /// - Parameters:
    ///   - paths: of files and directories that stay in view.
    ///   - own: this process' own directory for temporary files.
    ///   - queues: an empty directory.
    init?(showing paths: [String], own: String, queues: String) {
        let prefix = Self.common + "/"
        shown = Set(
            (paths + [own, queues]).compactMap { path in
                let real = realpath(path, nil)
                defer { free(real) }
                let whole = real.map { String(cString: $0) } ?? path
                guard whole.begins(with: prefix) else { return nil }
                return whole.dropFirst(prefix.count).prefix { $0 != "/" }.description
            })
        self.own = own
        self.queues = queues
        let names = shown.map { strdup($0) }
        defer { for name in names { free(name) } }
        let isOwn = names.map { UnsafePointer($0) }.withUnsafeBufferPointer {
            csys_private_objects(Self.common, $0.baseAddress, UInt32($0.count), queues)
        }
        guard isOwn else { return nil }
    }

    /// Those that are there, each worded to follow "left".
    var all: [String] {
        var found = PluginDirectory.names(in: "/dev/shm").map {
            "/dev/shm/\($0) (shm_open, or sem_open with sem. before its name)"
        }
        found += PluginDirectory.names(in: queues).map { "the message queue /\($0) (mq_open)" }
        for kind in Self.kinds {
            // A line of titles comes first; the second number of a line is the object's.
            let lines = Self.lines(of: "/proc/sysvipc/\(kind.file)").dropFirst()
            found += lines.compactMap { line in
                let words = line.split(separator: " ")
                return words.count > 1 ? "a \(kind.name) of System V, number \(words[1])" : nil
            }
        }
        found += Self.lines(of: "/proc/self/maps").filter { $0.contains("/SYSV") }.compactMap {
            $0.split(separator: " ").first.map { "a segment attached (shmat) at \($0)" }
        }
        found += PluginDirectory.names(in: Self.common).filter { !shown.contains($0) }
            .map { "\(Self.common)/\($0)" }
        found += PluginDirectory.names(in: own).map { "\($0) in the directory that TMPDIR names" }
        return found.sorted()
    }

    private static func lines(of path: String) -> [Substring] {
        String(decoding: ProcessFacts.contents(of: path), as: UTF8.self).split(separator: "\n")
    }
}
