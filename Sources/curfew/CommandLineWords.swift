// SPDX-License-Identifier: Apache-2.0

/// The words that the program was called with, exactly as they were given.
enum CommandLineWords {
    /// Returns those after the program's name.
    ///
    /// Swift takes them from `/proc/self/cmdline`; where that cannot be read, it has none at all,
    /// not even the name. It also repairs what is not UTF-8, and what is repaired is something else
    /// than was meant: another file, another payload.
    static func read() throws(CommandError) -> [String] {
        let count = Int(CommandLine.argc)
        guard count > 0, CommandLine.arguments.count == count else {
            throw CommandError(
                .faults, "the command line cannot be read: /proc/self/cmdline does not exist",
                notes: ["nothing was done"], help: ["mount /proc: mount -t proc proc /proc"])
        }
        var words: [String] = []
        for index in 1..<max(1, count) {
            guard let bytes = CommandLine.unsafeArgv[index] else { break }
            guard let word = String(validatingCString: bytes) else {
                let isPayload =
                    words.last == "--payload"
                    || CommandLine.arguments[index].hasPrefix("--payload=")
                throw CommandError(
                    .usage, "argument \(index) is not UTF-8: `\(CommandLine.arguments[index])`",
                    notes: ["nothing was done"],
                    help: [
                        isPayload
                            ? "pass bytes from a file: --payload @FILE or --payload -"
                            : "write it in UTF-8, and rename files that have such a name"
                    ])
            }
            words.append(word)
        }
        return words
    }
}
