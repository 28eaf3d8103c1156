// SPDX-License-Identifier: Apache-2.0

/// The parts of a host that a manual clock moves.
struct ClockMember: Sendable {
    let threads: HostThreads
    let deadlines: Deadlines
    let requests: RequestService
    let loop: EventLoop
}
