// SPDX-License-Identifier: Apache-2.0

/// The result of a change of requests, with the queues that it changed.
package struct Changed<Value> {
    package let value: Value
    /// Queues whose head may be another one now.
    package var queues: Set<RequestQueue> = []
    /// A request that was added to its queue: the head may be this one now, or stays.
    package var arrived: (head: RequestHead, queue: RequestQueue)?
}
