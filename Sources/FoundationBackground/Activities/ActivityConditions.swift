// SPDX-License-Identifier: Apache-2.0

/// The conditions of the machine for work that can wait for a good moment.
package enum ActivityConditions: Sendable {
    /// Something speaks against it: power is saved, it is hot, the battery is nearly empty.
    case held
    /// Nothing speaks against it.
    case fair
    /// The machine is idle, and has external power.
    case good
}
