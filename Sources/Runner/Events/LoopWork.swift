// SPDX-License-Identifier: Apache-2.0

/// A closure that runs on the loop's thread, in queue order among the events.
final class LoopWork: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
