// SPDX-License-Identifier: Apache-2.0
import TestSupport

extension Guarded {
    /// The value as it is now.
    var now: Value { value }
}
