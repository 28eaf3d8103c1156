// SPDX-License-Identifier: Apache-2.0

/// A fault of a cron expression.
package struct CronFault: Error, Hashable, Sendable {
    /// The faulty field; nil for the whole expression.
    package let field: CronField?
    /// To be put after the field, or after "the expression": lower case, no full stop.
    package let message: String
    /// The correction.
    package let help: String
}
