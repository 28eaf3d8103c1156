// SPDX-License-Identifier: Apache-2.0
import Conformance

/// The result of loading a plugin in a child process, which can be killed.
struct Trial {
    /// The time limit, in nanoseconds.
    let limit: UInt64
    let ending: ContainedChild.Ending
    let records: [TrialRecord]
    /// The beginning of what it wrote to standard output, and then of that to standard error.
    let output: [UInt8]
    /// The number of bytes beyond the limit.
    let unreadOutput: Int

    /// The default time limit for loading, in nanoseconds.
    static var usualLimit: UInt64 { 10_000_000_000 }

    /// Loads the plugin in a directory in a child of this program.
    init(directory: String, limit: UInt64) throws(CommandError) {
        self.limit = limit
        do throws(ContainmentError) {
            let child = try ContainedChild([TrialChild.name, directory], limit: limit)
            ending = child.ending
            records = child.lines.compactMap(TrialRecord.init)
            output = child.output + child.errors
            unreadOutput = child.outputCount + child.errorCount - output.count
        } catch {
            throw CommandError(
                .host, error.description, notes: ["the plugin was not loaded"],
                help: error.help.map { [$0] } ?? [])
        }
    }

    /// The phase in which the child ended: the last one that it reported.
    var phase: TrialRecord.Word? {
        records.last {
            switch $0.word {
            case .loading, .loaded, .refused, .retiring, .retired: true
            case .handler, .thread, .descriptor, .signal, .log: false
            }
        }?.word
    }

    func texts(_ word: TrialRecord.Word) -> [String] {
        records.filter { $0.word == word }.map(\.text)
    }
}
