// SPDX-License-Identifier: Apache-2.0

/// How the machine is, for work that can choose its moment.
package enum ActivityConditions: Sendable {
    /// Something speaks against it: power is saved, it is hot, the battery is nearly empty.
    case held
    /// Nothing speaks against it.
    case fair
    /// The machine is idle, and has external power.
    case good
}
