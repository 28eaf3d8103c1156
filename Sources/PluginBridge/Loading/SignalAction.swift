// SPDX-License-Identifier: Apache-2.0

/// The action of a signal in this process.
struct SignalAction: Hashable, Sendable {
    /// Its function's address; 0 for the default, 1 where it is ignored.
    var handler: UInt64
    /// Bit 0 is signal 1.
    var mask: UInt64
    var flags: Int32

    static var standard: SignalAction { SignalAction(handler: 0, mask: 0, flags: 0) }
    static var ignored: SignalAction { SignalAction(handler: 1, mask: 0, flags: 0) }

    /// Nil where no function is called.
    var function: UInt64? { handler > 1 ? handler : nil }
}
