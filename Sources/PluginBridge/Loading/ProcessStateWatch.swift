// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// Keeps the state of the process while a library is loaded and entered, and puts it back.
///
/// The caller has the turn to load and is the thread that loads. What another thread of the embedder
/// changes meanwhile cannot be told from what the library does, and is undone too; the header says
/// so.
public struct ProcessStateWatch: ~Copyable {
    private let before: ProcessState
    /// The working directory as it was.
    private let directory: OwnedDescriptor?

    public init() {
        directory = OwnedDescriptor(csys_open_working_directory())
        before = ProcessState.now(in: directory)
    }

    /// Puts everything back. Returns what was changed by somebody who is to blame for it, each to be
    /// put after "changed".
    public func restore() -> [String] {
        let here = OwnedDescriptor(csys_open_working_directory())
        let changes = before.changes(to: .now(in: here))
        if changes.isEmpty { return [] }
        let told = ProcessStateChange.blamed(changes, file: ProcessStateWatch.file)
            .map { $0.text(file: ProcessStateWatch.file) }
        for change in changes { undo(change) }
        return told
    }

    private func undo(_ change: ProcessStateChange) {
        switch change {
        case .signal(let number, let action, _):
            var action = csys_signal_action(
                handler: action.handler, mask: action.mask, flags: action.flags, reserved: 0)
            csys_set_signal_action(number, &action)
        case .signalMask(let mask, _): csys_set_signal_mask(mask)
        case .signalStack(let stack, _):
            var stack = csys_signal_stack(
                address: stack.address, bytes: stack.bytes, flags: stack.flags, reserved: 0)
            csys_set_signal_stack(&stack)
        case .floatControl(let control, _): csys_set_float_control(control)
        case .umask(let mask, _): csys_set_umask(mask)
        case .directory:
            if let directory { _ = fchdir(directory.number) }
        }
    }

    /// The file of the code at an address, as the loader calls it.
    private static func file(_ address: UInt64) -> String? {
        csys_symbol_file(UnsafeRawPointer(bitPattern: UInt(address))).map { String(cString: $0) }
    }
}

extension ProcessState {
    /// As it is for the calling thread; `directory` is the working directory, opened.
    fileprivate static func now(in directory: OwnedDescriptor?) -> ProcessState {
        var signals: [Int32: SignalAction] = [:]
        for number in 1...csys_last_signal() {
            var action = csys_signal_action()
            guard csys_get_signal_action(number, &action) else { continue }
            signals[number] = SignalAction(
                handler: action.handler, mask: action.mask, flags: action.flags)
        }
        let stack = csys_get_signal_stack()
        let umask = csys_umask()
        return ProcessState(
            signals: signals, signalMask: csys_signal_mask(),
            signalStack: SignalStack(
                address: stack.address, bytes: stack.bytes, flags: stack.flags),
            floatControl: csys_float_control(), umask: umask < 0 ? nil : umask,
            directory: directory?.status.map {
                Directory(device: UInt64($0.st_dev), file: UInt64($0.st_ino), path: path)
            })
    }

    private static var path: String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        guard getcwd(&buffer, buffer.count) != nil else { return "one without a path" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
