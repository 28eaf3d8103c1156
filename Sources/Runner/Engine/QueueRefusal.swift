// SPDX-License-Identifier: Apache-2.0

/// The reason for which a handler's queue took no task.
enum QueueRefusal: Error {
    /// The queue is full.
    case full
    /// The host has no free task slot.
    case noSlot
}
