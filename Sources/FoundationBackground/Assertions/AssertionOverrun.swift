// SPDX-License-Identifier: Apache-2.0

/// An assertion that was kept when all time was over.
package struct AssertionOverrun: Equatable, Sendable {
    package let id: UInt64
    package let kind: AssertionKind
    package let name: String
    /// Its handler was called and has returned, or it has none.
    package let handlerReturned: Bool
}
