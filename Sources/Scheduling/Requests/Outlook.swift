// SPDX-License-Identifier: Apache-2.0

/// What a transaction is going to ask of its store, as far as that is known before it begins.
///
/// A store on a server asks for all of it at once. It is a hint: what it does not foresee is asked for when it is
/// needed, and what is not needed does no harm.
package struct Outlook: Sendable {
    /// Requests of a queue that may be launched.
    package struct Claim: Hashable, Sendable {
        package let queue: RequestQueue
        /// The most that there are places for.
        package let count: Int
        /// Whether the tasks of its identifier that run in other hosts count.
        package let isLimited: Bool
    }

    /// The number of requests that are submitted.
    package var submissions = 0
    /// Requests that are looked at, and mostly changed.
    package var requests: Set<RequestID> = []
    package var claims: [Claim] = []
    /// The date of the launches.
    package var date: Int64 = 0

    package init() {}

    package var isEmpty: Bool { submissions == 0 && requests.isEmpty && claims.isEmpty }
}
