// SPDX-License-Identifier: Apache-2.0

/// A fault of a cron expression.
public struct CronFault: Error, Hashable, Sendable {
    /// The faulty field; nil for the whole expression.
    public let field: CronField?
    /// To be put after the field, or after "the expression": lower case, no full stop.
    public let message: String
    /// The correction.
    public let help: String
}
