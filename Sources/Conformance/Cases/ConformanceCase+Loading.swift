// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Glibc
import PluginBridge

/// Checks loading and the entry. No task runs.
extension ConformanceCase {
    /// The cases that every case that loads the plugin depends on.
    static let loadable =
        soundFile + ["needed-allowed", "entry-present", "dlopen-ok", "symbols-resolve"]
    /// The cases that every case that registers the plugin depends on.
    static let registered = loadable + ["registers-its-handlers", "describe-equals-manifest"]

    /// Loads the library, with a host that refuses all calls.
    private static func open(_ run: CaseRun) throws -> PluginLibrary {
        let folder = try PluginDirectory(run.subject.directory)
        let manifest = try run.manifest
        let library = try CheckedLibrary(manifest, in: folder, pins: nil)
        run.phase("while it was loaded")
        return try PluginLibrary(manifest, library)
    }

    private static func isUnresolved(_ message: String) -> Bool {
        message.contains("undefined symbol")
    }

    static let loading: [ConformanceCase] = [
        ConformanceCase(
            "dlopen-ok", level: 1, .library,
            needs: soundFile + ["needed-allowed", "entry-present"],
            limit: .seconds(10)
        ) { run in
            do {
                _ = try open(run)
            } catch let error as BridgeError where !isUnresolved(error.message) {
                throw CaseVerdict.fail(error.message)
            } catch is BridgeError {}
        },
        ConformanceCase("symbols-resolve", level: 1, .library, needs: soundFile + ["dlopen-ok"]) {
            run in
            do {
                _ = try open(run)
            } catch let error as BridgeError where isUnresolved(error.message) {
                throw CaseVerdict.fail(error.message)
            }
        },
        ConformanceCase("constructors-quiet", level: 1, .library, needs: loadable) { run in
            let before = Environment(run.subject)
            _ = try open(run)
            run.phase("after it was loaded")
            if let change = before.changes().first {
                throw CaseVerdict.fail(
                    "loading alone \(change)", notes: before.changes().dropFirst().map(\.self))
            }
            run.mustBeSilent("loading alone wrote")
        },
        ConformanceCase("registers-its-handlers", level: 1, needs: loadable) { run in
            let bed = try TestBed(run)
            run.phase("while it was loaded")
            do {
                try bed.host.load(plugin: run.subject.directory)
            } catch let error as CurfewError where error.rule != LoadRule.identity.rawValue {
                throw CaseVerdict.fail(error.message)
            } catch is CurfewError {}
        },
        ConformanceCase(
            "describe-equals-manifest", level: 1, .entry,
            needs: loadable + ["registers-its-handlers"]
        ) { run in
            let bed = try TestBed(run)
            run.phase("while it was loaded")
            do {
                try bed.host.load(plugin: run.subject.directory)
            } catch let error as CurfewError where error.rule == LoadRule.identity.rawValue {
                throw CaseVerdict.fail(error.message)
            }
        },
        ConformanceCase("struct-ends", level: 1, .entry, needs: registered) { run in
            try enter(run, Interposer(structs: .guarded))
        },
        ConformanceCase("larger-structs", level: 1, .entry, needs: registered) { run in
            let interposer = Interposer(structs: .larger)
            try enter(run, interposer)
            for case .tailWritten(let name) in interposer.findings {
                throw CaseVerdict.fail("it writes to \(name) past what it was compiled with")
            }
        },
        ConformanceCase("scan-time", level: 1, .library, needs: registered) { run in
            let bed = try TestBed(run)
            let manifest = try run.manifest
            // A wait for a busy processor is nobody's time.
            func spent(_ work: () throws -> Void) rethrows -> UInt64 {
                let (start, waited) = (csys_monotonic_ns(), ProcessorWait.ofThread)
                try work()
                let wait = ProcessorWait.ofThread &- waited
                let all = csys_monotonic_ns() &- start
                return all - min(all, wait)
            }
            // What the host does itself when it loads a plugin.
            let ours = try spent {
                _ = try CheckedLibrary(
                    manifest, in: PluginDirectory(run.subject.directory), pins: nil)
            }
            let both = try spent { try bed.load() }
            let time = (both - min(both, ours)) / 1_000_000
            if time > 1_000 {
                throw CaseVerdict.fail(
                    "loading and registering took \(time) ms, the limit is 1000 ms")
            }
            if time > 100 { run.warn("loading and registering took \(time) ms, advised is 100 ms") }
        },
        ConformanceCase("missing-extensions", level: 1, .entry, needs: registered) { run in
            let interposer = Interposer(hasExtensions: false)
            let bed = try TestBed(run, interposer: interposer)
            run.phase("while it was loaded by a host without extensions")
            do {
                try bed.host.load(plugin: run.subject.directory)
            } catch let error as CurfewError {
                let asked = interposer.extensionsAsked
                guard !asked.contains(where: { error.message.contains($0) }) else { return }
                throw CaseVerdict.fail(
                    "without the host's extensions its entry fails, and does not name the extension that it needs",
                    notes: ["it asked for \(asked.joined(separator: ", "))", error.message])
            }
        },
        ConformanceCase("two-copies", level: 1, .library, needs: registered) { run in
            let bed = try TestBed(run)
            try bed.load()
            let copy = try run.copyOfPlugin()
            let other = try TestBed(run)
            run.phase("while a copy of it was loaded beside it")
            do {
                try other.host.load(plugin: copy)
            } catch let error as CurfewError {
                throw CaseVerdict.fail("a copy of it cannot be loaded beside it: \(error.message)")
            }
        },
    ]

    /// Loads it behind an interposer. What it says may be no; what it does must be sound.
    static func enter(_ run: CaseRun, _ interposer: Interposer) throws {
        let bed = try TestBed(run, interposer: interposer)
        try bed.load()
    }
}
