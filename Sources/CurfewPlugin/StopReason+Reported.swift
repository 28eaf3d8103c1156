// SPDX-License-Identifier: Apache-2.0

extension StopReason {
    /// Reads the reason that a host reports; nil for "was not told to stop".
    init?(reported: Int32) {
        guard reported != 0 else { return nil }
        self = UInt8(exactly: reported).flatMap(StopReason.init(rawValue:)) ?? .host
    }
}
