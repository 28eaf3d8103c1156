// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a cron expression.
public struct CronFault: Error, Hashable, Sendable {
    /// Nil: the whole of it.
    public let field: CronField?
    /// To be put after the field, or after "the expression": lower case, no full stop.
    public let message: String
    /// What to write instead.
    public let help: String
}
