// SPDX-License-Identifier: Apache-2.0

/// An exit status and what it says of a command, as help and the manual tell it.
struct ExitMeaning: Sendable {
    /// `124`, or `128+N`.
    let status: String
    /// Lower case, no full stop.
    let text: String

    init(_ code: ExitCode, _ text: String) {
        status = String(code.rawValue)
        self.text = text
    }

    init(signal text: String) {
        status = "128+N"
        self.text = text
    }

    static let usage = ExitMeaning(.usage, "the command line is wrong, and nothing was done")
    static let unwritten = ExitMeaning(.faults, "the output could not be written")
    static let missing = ExitMeaning(.missing, "there is no such request, or no store")
    static let denied = ExitMeaning(
        .denied, "this user may not use the store, or its URL or its tables do not fit")
    static let storeUnavailable = ExitMeaning(
        .storeUnavailable, "the store is busy, full, damaged, of a newer version, or not reached")
    static let conflict = ExitMeaning(
        .conflict, "an existing request conflicts; nothing was done")
    /// The statuses of commands that only read requests.
    static let looking = [
        ExitMeaning(.ok, "success"), unwritten, usage, missing, denied, storeUnavailable,
    ]
    /// The statuses of commands that only print.
    static let telling = [ExitMeaning(.ok, "success"), unwritten, usage]

    /// The meaning of each number, wherever it is used.
    static let all = [
        ExitMeaning(.ok, "success; for `run`: the task succeeded"),
        ExitMeaning(
            .faults, "a fault was found, or the output could not be written"),
        usage,
        ExitMeaning(.kit, "the conformance kit itself failed"),
        ExitMeaning(
            .otherABI,
            "there is no such request, or no store; for `conform`: the plugin was built for another "
                + "ABI"),
        denied, storeUnavailable,
        ExitMeaning(.timedOut, "a wait, or code of a plugin, exceeded its time limit"), conflict,
        ExitMeaning(.failed, "the task failed"),
        ExitMeaning(
            .misuse, "the plugin released a task without completing it, or its code called exit"),
        ExitMeaning(.expired, "the task used up its budget"),
        ExitMeaning(.host, "the host failed"),
        ExitMeaning(.refused, "the plugin was refused"),
        ExitMeaning(.notFound, "there is no such handler or plugin"),
        ExitMeaning(signal: "ended by signal N: 130 for SIGINT, 139 for SIGSEGV"),
    ]
}
