// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// The state around a plugin that it could change, at one moment.
struct Environment {
    private let subject: Subject
    private let facts = ProcessFacts()
    private let globals = ProcessGlobals()
    private let children = Set(ContainedChild.children)
    private let signals = Environment.signals()
    private let libraries = GlobalLibraries()

    init(_ subject: Subject) { self.subject = subject }

    /// Returns the differences, each worded to follow "it" or the like. Known effects of the Swift
    /// runtime are left out for plugins with Swift code.
    func changes() -> [String] {
        signalChanges() + globals.changes(to: ProcessGlobals()) + left()
    }

    func signalChanges() -> [String] {
        Environment.signals().filter { signals[$0.key] != $0.value }.keys.sorted().map {
            "changed what \(ProcessFacts.name(ofSignal: $0)) does"
        }
    }

    /// The actions of signals, by their numbers: the function and its flags.
    private static func signals() -> [Int32: [UInt64]] {
        var signals: [Int32: [UInt64]] = [:]
        for number in 1...csys_last_signal() {
            var action = csys_signal_action()
            guard csys_get_signal_action(number, &action) else { continue }
            signals[number] = [
                action.handler, action.mask, UInt64(UInt32(bitPattern: action.flags)),
            ]
        }
        return signals
    }

    /// Returns the libraries whose symbols others see now, and did not before.
    func librariesMadeGlobal() -> [String] { libraries.added(by: GlobalLibraries()) }

    func globalChanges() -> [String] { globals.changes(to: ProcessGlobals()) }

    /// Returns the things that were added.
    func left() -> [String] { threads() + descriptors() + processes() }

    func threads() -> [String] { threadsLeft().map(\.text) }

    /// The threads that were added and do not end within a second, with whether each is in the plugin's own code.
    func threadsLeft() -> [(text: String, isOwn: Bool)] {
        let until = csys_monotonic_ns() &+ 1_000_000_000
        let now = ProcessFacts().threads.filter { number, name in
            facts.threads[number] == nil && !Environment.isEnding(number, until: until)
                && !(subject.isSwift && RuntimeAllowance.threads.contains(name)
                    && Environment.fallsAsleep(number))
        }
        return now.sorted { $0.key < $1.key }.map { number, name in
            let text =
                name.isEmpty
                ? "left a thread without a name"
                : "left a thread (\(name), the name of the thread that started it unless it has one)"
            let isOwn = subject.libraryPath.map {
                csys_thread_is_in_library(Int32(number), $0)
            }
            return (text, isOwn ?? true)
        }
    }

    /// Whether a thread is on its way out: what it was to do is done, and it has not quite gone. On a
    /// busy machine it may wait long for a processor to do so.
    private static func isEnding(_ thread: Int, until: UInt64) -> Bool {
        var word: UInt32 = 0
        while true {
            if access("/proc/self/task/\(thread)", F_OK) != 0 { return true }
            guard csys_monotonic_ns() < until else { return false }
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 1_000_000)
        }
    }

    /// Whether a thread comes to rest, in time that a busy machine may take.
    private static func fallsAsleep(_ thread: Int) -> Bool {
        let until = csys_monotonic_ns() &+ 1_000_000_000
        var word: UInt32 = 0
        while csys_monotonic_ns() < until {
            let bytes = ProcessFacts.beginning(of: "/proc/self/task/\(thread)/stat")
            // "number (name) state …"
            let rest = bytes[(bytes.lastIndex(of: UInt8(ascii: ")")) ?? 0)...].dropFirst(2)
            if rest.isEmpty || rest.first == UInt8(ascii: "S") { return true }
            csys_futex_wait(&word, 0, csys_monotonic_ns() &+ 5_000_000)
        }
        return false
    }

    func descriptors() -> [String] {
        let now = ProcessFacts.lasting {
            ProcessFacts.openDescriptors.filter { number, target in
                facts.descriptors[number] != target
                    && !(subject.isSwift && RuntimeAllowance.descriptors.contains(target))
            }
        }
        let closed = facts.descriptors.keys.filter { fcntl(Int32($0), F_GETFD) == -1 }
        return now.sorted { $0.key < $1.key }.map {
            "left descriptor \($0.key) open (\($0.value))"
        }
            + closed.sorted().map {
                "closed descriptor \($0), which is not its own (\(facts.descriptors[$0] ?? ""))"
            }
    }

    func processes() -> [String] {
        let own = ContainedChild.children.filter { !children.contains($0) }
        // The supervisor of this process adopts those whose parents have ended, and has no other child.
        let orphans = CaseChild.isThis ? ContainedChild.orphans : []
        return (own + orphans).sorted().map { "left a process (\($0))" }
    }
}
