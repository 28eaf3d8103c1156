// SPDX-License-Identifier: Apache-2.0

extension StopReason {
    /// Reads the reason that a host reports; returns nil if the task was not stopped.
    init?(reported: Int32) {
        guard reported != 0 else { return nil }
        self = UInt8(exactly: reported).flatMap(StopReason.init(rawValue:)) ?? .host
    }
}
