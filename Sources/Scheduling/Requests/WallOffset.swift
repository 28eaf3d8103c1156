// SPDX-License-Identifier: Apache-2.0

/// What is added to a machine's clock for the dates of a store, where hosts with other clocks use it as well.
package protocol WallOffset: AnyObject, Sendable {
    /// Nanoseconds. Any thread may ask.
    var nanoseconds: Int64 { get }
}
