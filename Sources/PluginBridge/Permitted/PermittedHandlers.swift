// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// The handlers a host may have, as the property list of an app says it: their identifiers under
/// `BGTaskSchedulerPermittedIdentifiers`, their kinds under `UIBackgroundModes`.
///
/// Both keys are required, as by Apple's scheduler. An identifier that ends in `.*` matches all
/// that continue after the point. The mode `fetch` permits handlers of the kind app-refresh, and
/// `processing` those of all other kinds; other modes and keys of the list have no meaning here.
package struct PermittedHandlers: Sendable {
    /// The list's file, for messages.
    package let file: String
    private let identifiers: Set<String>
    /// The beginnings that wildcards permit, each with its point.
    private let prefixes: [String]
    private let kinds: Set<TaskKind>

    /// The maximum number of identifiers in a list.
    package static var identifiersLimit: Int { 1_024 }

    static var identifiersKey: String { "BGTaskSchedulerPermittedIdentifiers" }
    static var modesKey: String { "UIBackgroundModes" }

    /// The mode that permits handlers of a kind.
    static func mode(of kind: TaskKind) -> String {
        kind.isShort ? "fetch" : "processing"
    }

    init(file: String, identifiers: [String], modes: [String]) {
        self.file = file
        self.identifiers = Set(identifiers.filter { !$0.hasSuffix(".*") })
        prefixes = identifiers.filter { $0.hasSuffix(".*") }.map { String($0.dropLast()) }
        kinds = Set(TaskKind.allCases.filter { modes.contains(Self.mode(of: $0)) })
    }

    /// Returns nil for a handler that is permitted, or why it is not.
    package func refusal(identifier: String, kind: TaskKind) -> PermittedRefusal? {
        let place = DiagnosticText.visible(file.unicodeScalars)
        let isWithinPrefix = prefixes.contains {
            identifier.hasPrefix($0) && identifier.utf8.count > $0.utf8.count
        }
        guard isWithinPrefix || identifiers.contains(identifier) else {
            return PermittedRefusal(
                rule: .identifierNotListed,
                message: "the handler \"\(identifier)\" is not permitted by \(place)",
                help: "add <string>\(identifier)</string> to its \(Self.identifiersKey)")
        }
        guard kinds.contains(kind) else {
            return PermittedRefusal(
                rule: .modeNotListed,
                message: "the handler \"\(identifier)\" is of the kind \(kind.name), which"
                    + " \(place) does not permit",
                help: "add <string>\(Self.mode(of: kind))</string> to its \(Self.modesKey)")
        }
        return nil
    }
}

/// Everything that is wrong with a list of permitted handlers, in its order; never empty.
package struct PermittedFaults: Error, Hashable, Sendable {
    package let diagnostics: [Diagnostic]

    init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// All of them as they are printed, with an empty line between two.
    package var rendered: String { diagnostics.map(\.rendered).joined(separator: "\n\n") }
}

/// Why a handler is not permitted.
package struct PermittedRefusal: Hashable, Sendable {
    package let rule: PermittedRule
    /// The identifier and the file of the list: lower case, no full stop.
    package let message: String
    /// The entry to add to the list.
    package let help: String
}
