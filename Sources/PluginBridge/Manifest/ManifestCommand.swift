// SPDX-License-Identifier: Apache-2.0

/// The program behind a handler of form `command`, as the manifest describes it.
package struct ManifestCommand: Hashable, Sendable {
    /// One word of the command line.
    package enum Word: Hashable, Sendable {
        case text(String)
        /// The task's payload as text.
        case payload
        /// The path of a file with the task's payload.
        case payloadFile
    }

    /// The program and its arguments; at least one, and the first is a text.
    package let words: [Word]
    /// Whether standard input is the payload; otherwise it is empty.
    package let readsPayload: Bool
    /// Variables in addition to those that programs get from the host.
    package let environment: [String: String]
    /// The absolute path of the working directory; nil: the directory of the plugin.
    package let directory: String?
    /// The exit codes that mean success.
    package let success: Set<Int32>
    /// The exit codes after which a request is launched again, without counting as an attempt.
    package let retry: Set<Int32>
    /// The beginning of lines that report progress.
    package let progressPrefix: String
    /// The beginning of lines that are the task's result.
    package let resultPrefix: String

    /// The beginnings that are meant where the manifest names none.
    package static var defaultProgressPrefix: String { "curfew: progress " }
    package static var defaultResultPrefix: String { "curfew: result " }
    /// EX_TEMPFAIL of sysexits(3): try again later.
    package static var temporaryFailure: Int32 { 75 }

    package init(
        words: [Word], readsPayload: Bool = false, environment: [String: String] = [:],
        directory: String? = nil, success: Set<Int32> = [0],
        retry: Set<Int32> = [ManifestCommand.temporaryFailure],
        progressPrefix: String = ManifestCommand.defaultProgressPrefix,
        resultPrefix: String = ManifestCommand.defaultResultPrefix
    ) {
        self.words = words
        self.readsPayload = readsPayload
        self.environment = environment
        self.directory = directory
        self.success = success
        self.retry = retry
        self.progressPrefix = progressPrefix
        self.resultPrefix = resultPrefix
    }

    /// The command line, with `@payload` and `@payload-file` in place of the payload.
    package var text: String {
        words.map { word in
            switch word {
            case .text(let text): text
            case .payload: "@payload"
            case .payloadFile: "@payload-file"
            }
        }.joined(separator: " ")
    }
}
