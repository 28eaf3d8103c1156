// SPDX-License-Identifier: Apache-2.0
import Conformance
import PluginBridge

/// A plugin, and the results of its cases.
struct ConformReport {
    /// The path on the command line.
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

    /// Whether the plugin was built for another ABI, so that no other case applies.
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
