// SPDX-License-Identifier: Apache-2.0

enum QueueRefusal: Error {
    case full
    /// The host has no free task slot.
    case noSlot
}
