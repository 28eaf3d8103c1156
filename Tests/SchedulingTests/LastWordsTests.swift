// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("What a plugin's process says of its end")
struct LastWordsTests {
    private func text(
        _ end: ChildEnd, _ words: LastWords?, for reader: LastWords.Reader = .task
    ) -> String {
        end.text(words, for: reader) { "signal \($0)" }
    }

    @Test("the end names its cause, and the place where it is known")
    func texts() {
        let fault = LastWords(phase: .function, task: 7, address: 0x1f)
        #expect(text(.signalled(11), nil) == "ended by signal 11")
        #expect(text(.signalled(11), fault) == "ended by signal 11 at 0x1f in its function")
        #expect(
            text(.signalled(11), fault, for: .otherTask)
                == "ended by signal 11 at 0x1f in the function of another task")
        #expect(
            text(.signalled(11), fault, for: .log(handler: "org.example.tidy"))
                == "ended by signal 11 at 0x1f in the function of org.example.tidy")
        #expect(
            text(.signalled(11), fault, for: .log(handler: nil))
                == "ended by signal 11 at 0x1f in the function of a task")
        #expect(
            text(.signalled(11), LastWords(phase: .callback, task: 7, isOverflow: true, address: 1))
                == "overflowed its stack (signal 11) in its expiration callback")
        #expect(
            text(.exited(0), LastWords(phase: .entry, task: 0))
                == "exited with status 0 in its entry")
        #expect(text(.lost, nil) == "ended with its supervisor")
    }

    @Test("each place is said in other words")
    func places() {
        let places = LastWords.Phase.allCases.map {
            LastWords(phase: $0, task: 1).place(for: .task)
        }
        #expect(Set(places).count == places.count)
    }

    @Test("the task that is blamed is the one of the words, else the only one there is")
    func blame() {
        func words(_ phase: LastWords.Phase, _ task: UInt64 = 0) -> LastWords {
            LastWords(phase: phase, task: task)
        }
        #expect(Blame(words(.function, 2), running: [1, 2], pending: [3]) == .task(2))
        #expect(Blame(words(.callback, 3), running: [1], pending: [3]) == .task(3))
        // A callback of a task that was over already.
        #expect(Blame(words(.callback, 9), running: [1], pending: []) == .task(9))
        #expect(Blame(nil, running: [1], pending: [3]) == .task(1))
        #expect(Blame(nil, running: [1, 2], pending: [3]) == .unknown)
        #expect(Blame(nil, running: [], pending: [3]) == .task(3))
        #expect(Blame(words(.ownThread), running: [], pending: [3, 4]) == .unknown)
        #expect(Blame(words(.sub), running: [], pending: []) == .unknown)
        #expect(Blame(nil, running: [1], pending: [], isLost: true) == .outside)
    }

    @Test("another task than the one that is blamed is innocent, and nobody is where none is")
    func innocence() {
        #expect(Blame.task(1).isInnocent(2))
        #expect(!Blame.task(1).isInnocent(1))
        #expect(!Blame.unknown.isInnocent(1))
        #expect(Blame.outside.isInnocent(1))
    }
}
