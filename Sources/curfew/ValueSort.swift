// SPDX-License-Identifier: Apache-2.0

/// The sort of an operand or of an option's value, so that a shell can complete it.
enum ValueSort {
    /// Nothing that could be offered: a text, a duration.
    case text
    /// One of a few words.
    case words([String])
    /// Some of a few words, separated by commas.
    case list([String])
    case directory
    case file
    /// A text, `@` and a file, or `-`.
    case payload
    /// The identifier of a handler that is found.
    case handler
    /// The directory, the id or a handler's identifier of a plugin.
    case plugin
    /// The directory of a plugin, or a manifest.
    case manifest
    /// A code that is explained, or the name of its rule.
    case fault
    /// The name of a case of `curfew conform`.
    case conformanceCase
    /// The number of a request in the store that is not over.
    case request
    /// The number of a request in the store that is over.
    case history
    case command
    /// A language of `curfew new`.
    case language
}
