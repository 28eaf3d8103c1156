// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// Keeps the state of the process while a library is loaded and entered, and puts it back.
///
/// The caller has the turn to load and is the thread that loads. What another thread of the embedder
/// changes meanwhile cannot be told from what the library does, and is undone too; the header says
/// so.
public struct ProcessStateWatch: ~Copyable {
    private let before: csys_process_state
    /// The working directory as it was, with its device and number.
    private let directory: OwnedDescriptor?
    private let directoryNumbers: (device: UInt64, file: UInt64)
    /// The thread's status, which is read twice.
    private let status: OwnedDescriptor?

    public init() {
        directory = OwnedDescriptor(csys_open_working_directory())
        let numbers = directory?.status
        directoryNumbers = (UInt64(numbers?.st_dev ?? 0), UInt64(numbers?.st_ino ?? 0))
        status = OwnedDescriptor(csys_open_status())
        var state = csys_process_state()
        csys_get_process_state(status?.number ?? -1, &state)
        before = state
    }

    /// Puts everything back. Returns what was changed by somebody who is to blame for it, each to be
    /// put after "changed".
    public func restore() -> [String] {
        var after = csys_process_state()
        csys_get_process_state(status?.number ?? -1, &after)
        var place: (device: UInt64, file: UInt64) = (0, 0)
        let isElsewhere =
            directory != nil && csys_working_directory(&place.device, &place.file)
            && place != directoryNumbers
        let isSame = withUnsafePointer(to: before) { csys_same_process_state($0, &after) }
        return isSame && !isElsewhere ? [] : restore(after, isElsewhere ? place : nil)
    }

    /// The same once something is known to be different; `place`: the working directory, if it is.
    private func restore(
        _ after: csys_process_state, _ place: (device: UInt64, file: UInt64)?
    ) -> [String] {
        var (first, last) = (ProcessState(before), ProcessState(after))
        if let place, let directory {
            last.directory = ProcessState.Directory(
                device: place.device, file: place.file, path: ProcessState.path)
            _ = fchdir(directory.number)
            first.directory = ProcessState.Directory(
                device: directoryNumbers.device, file: directoryNumbers.file,
                path: ProcessState.path)
        }
        let changes = first.changes(to: last)
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
    /// Without the working directory.
    fileprivate init(_ state: csys_process_state) {
        var signals: [Int32: SignalAction] = [:]
        withUnsafeBytes(of: state.actions) { bytes in
            for (index, action) in bytes.bindMemory(to: csys_signal_action.self).enumerated() {
                signals[Int32(index + 1)] = SignalAction(
                    handler: action.handler, mask: action.mask, flags: action.flags)
            }
        }
        let stack = state.signal_stack
        self.init(
            signals: signals, signalMask: state.signal_mask,
            signalStack: SignalStack(
                address: stack.address, bytes: stack.bytes, flags: stack.flags),
            floatControl: state.float_control, umask: state.umask < 0 ? nil : state.umask,
            directory: nil)
    }

    /// The working directory's.
    fileprivate static var path: String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        guard getcwd(&buffer, buffer.count) != nil else { return "one without a path" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
