// SPDX-License-Identifier: Apache-2.0

/// The scenarios by their names.
enum Scenario {
    typealias Body = @Sendable (Stage) -> Void

    static let all: [String: Body] = [
        registration, submission, running, continued, source000, plugin, operations, starting,
    ]
    .reduce(into: [:]) { $0.merge($1) { _, _ in fatalError("two scenarios have one name") } }
}
