// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge

/// One plugin, and what its cases came to.
struct ConformReport {
    /// As it was given.
    let path: String
    let subject: Subject
    let seed: UInt64
    var results: [CaseResult] = []
    /// Nanoseconds.
    var duration: UInt64 = 0

    var tally: Tally { Tally(results) }

    var code: ExitCode {
        if isForeign { return .otherABI }
        if tally.failures > 0 { return .faults }
        // A plugin of which every case was skipped has not passed.
        return tally[.skip] == tally.all ? .usage : .ok
    }

    /// It was built for another ABI: nothing else can be said of it.
    private var isForeign: Bool {
        switch subject.manifest {
        case .failure(let faults):
            return faults.diagnostics.contains { $0.rule == "manifest-abi" }
        case .success(let manifest):
            guard let path = subject.libraryPath, case .success(let note) = ABINote.read(path: path)
            else { return false }
            return note.abi != manifest.abi
        }
    }
}
