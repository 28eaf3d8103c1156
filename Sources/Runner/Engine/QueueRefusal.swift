// SPDX-License-Identifier: Apache-2.0

/// Why a handler's queue took no task.
enum QueueRefusal: Error {
    /// As many tasks wait as may.
    case full
    /// The host has no free slot.
    case noSlot
}
