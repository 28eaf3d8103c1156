// SPDX-License-Identifier: Apache-2.0

/// Something that is done on the loop's thread, in its turn among the events.
final class LoopWork: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
