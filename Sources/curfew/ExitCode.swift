// SPDX-License-Identifier: Apache-2.0

/// The exit status of the program. The numbers are part of its interface and never get another
/// meaning.
struct ExitCode: Hashable, Comparable {
    let rawValue: Int32

    /// Success; for `run`, the task succeeded.
    static let ok = ExitCode(rawValue: 0)
    /// `lint` found faults; of every command: the output could not be written, whatever else came
    /// of it.
    static let faults = ExitCode(rawValue: 1)
    /// The command line is wrong; nothing was done.
    static let usage = ExitCode(rawValue: 2)
    /// `conform`: the kit itself could not work.
    static let kit = ExitCode(rawValue: 3)
    /// `conform`: the plugin was built for an ABI that this host does not speak.
    static let otherABI = ExitCode(rawValue: 4)
    /// There is no such request, or no store.
    static let missing = ExitCode(rawValue: 4)
    /// The store is not this user's to use.
    static let denied = ExitCode(rawValue: 5)
    /// The store cannot be used: it is busy, full, damaged, or a newer one.
    static let storeUnavailable = ExitCode(rawValue: 6)
    /// Something was waited for, and did not come in time.
    static let timedOut = ExitCode(rawValue: 7)
    /// An existing request conflicts.
    static let conflict = ExitCode(rawValue: 8)
    /// The task reported failure.
    static let failed = ExitCode(rawValue: 100)
    /// The plugin broke the contract.
    static let misuse = ExitCode(rawValue: 101)
    /// The task had to stop: its time was up. As timeout(1) has it, like the next three.
    static let expired = ExitCode(rawValue: 124)
    /// The host could not run it.
    static let host = ExitCode(rawValue: 125)
    /// The plugin was refused.
    static let refused = ExitCode(rawValue: 126)
    /// There is no handler of that identifier.
    static let notFound = ExitCode(rawValue: 127)

    /// The worse of two is the greater.
    static func < (a: ExitCode, b: ExitCode) -> Bool { a.rawValue < b.rawValue }

    /// Ended by a signal, as a shell tells it: 130 for SIGINT.
    static func signal(_ number: Int32) -> ExitCode { ExitCode(rawValue: 128 + number) }
}
