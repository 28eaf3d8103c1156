// SPDX-License-Identifier: Apache-2.0

/// A fault of a cron expression.
package struct CronFault: Error, Hashable, Sendable {
    /// The faulty field; nil for the whole expression.
    package let field: CronField?
    /// A text that follows the field, or "the expression": lower case, no full stop.
    package let message: String
    /// The correction.
    package let help: String
}
