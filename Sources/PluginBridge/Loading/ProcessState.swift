// SPDX-License-Identifier: Apache-2.0

/// The state of the process, and of the loading thread, that a library could change and must not,
/// at one moment.
struct ProcessState: Hashable, Sendable {
    /// A directory, whatever its name.
    struct Directory: Hashable, Sendable {
        var device: UInt64
        var file: UInt64
        /// For messages.
        var path: String

        static func == (a: Directory, b: Directory) -> Bool {
            a.device == b.device && a.file == b.file
        }
        func hash(into hasher: inout Hasher) {
            hasher.combine(device)
            hasher.combine(file)
        }
    }

    /// An alternate signal stack; all zero but the flags where there is none.
    struct SignalStack: Hashable, Sendable {
        var address: UInt64
        var bytes: UInt64
        var flags: Int32
    }

    /// The user and group ids.
    struct Identity: Hashable, Sendable {
        var real: UInt32
        var effective: UInt32
        var saved: UInt32
    }

    /// User and group ids.
    var users: Identity
    var groups: Identity
    /// The root directory; nil if unknown.
    var root: Directory?
    /// Descriptors of the host's lead where they did.
    var hasDescriptors = true
    /// The actions by number; signals of the C library always count as default.
    var signals: [Int32: SignalAction]
    var signalMask: UInt64
    var signalStack: SignalStack
    /// See `csys_float_control`.
    var floatControl: UInt64
    /// The umask; nil if unknown.
    var umask: Int32?
    var directory: Directory?

    /// Returns the differences, in a fixed order.
    func changes(to after: ProcessState) -> [ProcessStateChange] {
        var changes: [ProcessStateChange] = []
        if hasDescriptors, !after.hasDescriptors { changes.append(.descriptors) }
        // In the order in which they can be undone.
        if users != after.users { changes.append(.users(before: users, after: after.users)) }
        if groups != after.groups { changes.append(.groups(before: groups, after: after.groups)) }
        if let root, let now = after.root, root != now { changes.append(.root) }
        for (number, action) in signals.sorted(by: { $0.key < $1.key }) {
            guard let now = after.signals[number], now != action else { continue }
            changes.append(.signal(number, before: action, after: now))
        }
        if signalMask != after.signalMask {
            changes.append(.signalMask(before: signalMask, after: after.signalMask))
        }
        if signalStack != after.signalStack {
            changes.append(.signalStack(before: signalStack, after: after.signalStack))
        }
        if floatControl != after.floatControl {
            changes.append(.floatControl(before: floatControl, after: after.floatControl))
        }
        if let umask, let now = after.umask, umask != now {
            changes.append(.umask(before: umask, after: now))
        }
        if let directory, let now = after.directory, directory != now {
            changes.append(.directory(before: directory, after: now))
        }
        return changes
    }
}

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
