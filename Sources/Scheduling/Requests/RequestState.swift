// SPDX-License-Identifier: Apache-2.0

/// The state of a request. Requests that are neither pending, running nor parked are history.
public enum RequestState: UInt8, Sendable, CaseIterable, KebabCased {
    /// It waits for its date, its place in the queue, or the machine.
    case pending = 1
    /// Its task was launched and is not over.
    case running = 2
    /// The process crashed repeatedly while its task ran. It waits for a person to release or cancel it.
    case parked = 3
    /// Its last task is over, with any outcome.
    case finished = 4
    /// The request was cancelled.
    case cancelled = 5
    /// A newer request of the same identifier took its place.
    case replaced = 6
    /// Its latest date passed before it could be launched.
    case missed = 7

    /// Whether it may still be launched, or runs.
    package var isLive: Bool { rawValue <= RequestState.parked.rawValue }
}
