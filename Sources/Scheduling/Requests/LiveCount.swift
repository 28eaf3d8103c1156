// SPDX-License-Identifier: Apache-2.0

/// How many requests of an identifier are in a state in which they are not over.
package struct LiveCount: Hashable, Sendable {
    package let identifier: String
    package let state: RequestState
    package let count: Int

    package init(_ identifier: String, _ state: RequestState, _ count: Int) {
        (self.identifier, self.state, self.count) = (identifier, state, count)
    }
}
