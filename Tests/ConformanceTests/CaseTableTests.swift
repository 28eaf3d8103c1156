// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Testing

@testable import Conformance

@Suite("The table of the cases")
struct CaseTableTests {
    /// In the order of their codes, from CF0801 on. A name is for ever.
    private static let names = [
        "manifest-parses", "manifest-id", "library-file", "handlers-declared",
        "manifest-no-duplicates", "elf-ident", "abi-note", "exports-minimal", "needed-allowed",
        "elf-hardening", "dlopen-ok", "symbols-resolve", "constructors-quiet", "entry-present",
        "struct-ends", "larger-structs", "scan-time", "missing-extensions", "two-copies",
        "registers-its-handlers", "register-only-in-entry", "describe-equals-manifest",
        "register-once", "strings-utf8", "retires", "refused-registration", "init-twice",
        "idle-retire", "no-exit", "one-task-done", "failing-task-done", "exactly-once",
        "payload-sizes", "status-known", "progress-in-range", "declared-events", "references",
        "finishes-in-budget", "short-expiration", "cooperative-stop", "cancel-while-running",
        "expiry-race", "thread-tags", "no-affinity", "reentrancy", "threads-joined", "thread-exit",
        "borrowed-poisoned", "leak-per-task", "const-inputs", "payload-end", "signal-actions",
        "signal-mask", "process-globals", "fpu-state", "descriptors-and-children",
        "stdio-untouched", "fork-hooks", "fork-exec", "retire-while-busy", "clean-exit",
        "reinit-100", "fuzz-calls", "fuzz-payload", "host-says-no", "no-descriptors", "no-space",
        "worker-state", "keeps-working", "hardened-memory", "struct-sizes", "leaves-nothing",
        "no-memory", "chaos", "new-version", "no-races", "call-order",
    ]

    /// How many of them are of level 1, 2 and 3.
    private static let levels = [28, 41, 8]

    @Test("every case has the code of its name, and every code its case")
    func codes() {
        let faults = Fault.all.filter { $0.number / 100 == 8 }
        #expect(faults.map(\.name) == CaseTableTests.names)
        #expect(faults.map(\.number) == Array(801...877))
        #expect(
            ConformanceCase.all.sorted { $0.fault.number < $1.fault.number }.map(\.name)
                == CaseTableTests.names)
        for each in ConformanceCase.all {
            #expect(ConformanceCase.named(each.name)?.fault.number == each.fault.number)
        }
        #expect(ConformanceCase.named("manifest-id ") == nil)
    }

    @Test("each says what it does not see, in one sentence")
    func blindness() {
        for each in ConformanceCase.all {
            let text = CaseTable.blindness(of: each)
            #expect(text.map { (10...150).contains($0.count) } ?? false, "\(each.name)")
        }
    }

    @Test("how many there are of each level")
    func levels() {
        let counts = ConformanceCase.levels.map { level in
            ConformanceCase.all.count { $0.level == level }
        }
        #expect(counts == CaseTableTests.levels)
    }

    @Test("what a case needs is another one that comes earlier, of no higher level")
    func needs() {
        var earlier: [String: Int] = [:]
        for each in ConformanceCase.all {
            for needed in each.needs {
                #expect(earlier[needed] ?? 9 <= each.level, "\(each.name) needs \(needed)")
            }
            #expect(Set(each.needs).count == each.needs.count)
            earlier[each.name] = each.level
        }
    }

    @Test("all but the first ones, which only read, need others")
    func order() {
        let running = ConformanceCase.all.filter(\.runsCode)
        #expect(running.allSatisfy { !$0.needs.isEmpty })
        #expect(ConformanceCase.all.prefix { !$0.runsCode }.count + running.count == 77)
    }

    @Test("chance has a part in those that fuzz, and each comes to an end")
    func kinds() {
        #expect(
            ConformanceCase.all.filter(\.isSeeded).map(\.name) == [
                "chaos", "fuzz-calls", "fuzz-payload",
            ])
        #expect(ConformanceCase.all.allSatisfy { $0.limit >= 1_000_000_000 })
        #expect(ConformanceCase.all.allSatisfy { $0.limit <= 120_000_000_000 })
    }
}
