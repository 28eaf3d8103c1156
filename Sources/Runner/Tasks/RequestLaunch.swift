// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Synchronization

/// What a task knows that is a launch of a request.
final class RequestLaunch: @unchecked Sendable {
    // Sendable: `kind` is written before the launch is published.

    let ticket: RequestTicket
    /// The request's; nil: the handler's.
    var kind: TaskKind?
    /// Nanoseconds after which the request is to be launched again, plus 1; 0: nobody said so.
    let snooze = Atomic<UInt64>(0)
    /// Its task is over, which the store could not write down yet.
    let isEndWaiting = Atomic<Bool>(false)

    init(_ ticket: RequestTicket) { self.ticket = ticket }
}
