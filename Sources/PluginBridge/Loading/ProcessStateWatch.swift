// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// Keeps the state of the process while a library is loaded and entered, and puts it back.
///
/// The caller serializes loads and is the loading thread. Changes that another thread of the embedder
/// makes meanwhile cannot be distinguished from those of the library, and are undone as well; the
/// header says so.
package struct ProcessStateWatch: ~Copyable {
    private let before: csys_process_state
    /// The working directory as it was, with its device and number.
    private let directory: OwnedDescriptor?
    private let directoryNumbers: (device: UInt64, file: UInt64)
    /// The root directory.
    private let root: OwnedDescriptor?
    private let rootNumbers: (device: UInt64, file: UInt64)
    /// The thread's status, which is read twice.
    private let status: OwnedDescriptor?

    package init() {
        directory = OwnedDescriptor(csys_open_working_directory())
        directoryNumbers = Self.numbers(directory)
        root = OwnedDescriptor(csys_open_root_directory())
        rootNumbers = Self.numbers(root)
        status = OwnedDescriptor(csys_open_status())
        var state = csys_process_state()
        csys_get_process_state(status?.number ?? -1, &state)
        before = state
    }

    private static func numbers(_ file: OwnedDescriptor?) -> (device: UInt64, file: UInt64) {
        let status = file?.status
        return (UInt64(status?.st_dev ?? 0), UInt64(status?.st_ino ?? 0))
    }

    /// Restores the state where possible. Returns the changes that a plugin caused.
    package func restore() -> [ProcessStateFinding] {
        var after = csys_process_state()
        csys_get_process_state(status?.number ?? -1, &after)
        let elsewhere = Self.other(than: directoryNumbers, of: directory, csys_working_directory)
        let otherRoot = Self.other(than: rootNumbers, of: root, csys_root_directory)
        let isSame = withUnsafePointer(to: before) { csys_same_process_state($0, &after) }
        guard !isSame || elsewhere != nil || otherRoot != nil || !hasDescriptors else { return [] }
        return restore(after, elsewhere, root: otherRoot)
    }

    /// Returns the directory that has replaced another one; nil if it is the same.
    private static func other(
        than numbers: (device: UInt64, file: UInt64), of directory: OwnedDescriptor?,
        _ now: (UnsafeMutablePointer<UInt64>, UnsafeMutablePointer<UInt64>) -> Bool
    ) -> (device: UInt64, file: UInt64)? {
        var place: (device: UInt64, file: UInt64) = (0, 0)
        guard directory != nil, now(&place.device, &place.file), place != numbers else {
            return nil
        }
        return place
    }

    /// Both directories are still open: code that closes foreign descriptors closes these too.
    private var hasDescriptors: Bool {
        (directory == nil || Self.numbers(directory) == directoryNumbers)
            && (root == nil || Self.numbers(root) == rootNumbers)
    }

    /// Restores the state after a difference was found.
    ///
    /// - Parameters:
    ///   - place: the working directory, if it is.
    ///   - otherRoot: the root directory, if it is.
    private func restore(
        _ after: csys_process_state, _ place: (device: UInt64, file: UInt64)?,
        root otherRoot: (device: UInt64, file: UInt64)?
    ) -> [ProcessStateFinding] {
        var (first, last) = (ProcessState(before), ProcessState(after))
        last.hasDescriptors = hasDescriptors
        if let otherRoot {
            first.root = ProcessState.Directory(
                device: rootNumbers.device, file: rootNumbers.file, path: "/")
            last.root = ProcessState.Directory(
                device: otherRoot.device, file: otherRoot.file, path: "/")
        }
        if let place {
            last.directory = ProcessState.Directory(
                device: place.device, file: place.file, path: ProcessState.path)
            _ = goBack()
            first.directory = ProcessState.Directory(
                device: directoryNumbers.device, file: directoryNumbers.file,
                path: ProcessState.path)
        }
        let changes = first.changes(to: last)
        let blamed = ProcessStateChange.blamed(changes, file: ProcessStateWatch.file)
        // Describe it before it is undone: the description may contain the file of a function.
        let texts = blamed.map { $0.text(file: ProcessStateWatch.file) }
        var undone: [ProcessStateChange: Bool] = [:]
        for change in changes { undone[change] = undo(change) }
        return zip(blamed, texts).map {
            ProcessStateFinding(text: $1, isPutBack: undone[$0] == true)
        }
    }

    /// To the working directory.
    private func goBack() -> Bool {
        guard let directory, Self.numbers(directory) == directoryNumbers else { return false }
        return fchdir(directory.number) == 0
    }

    /// False where it could not be undone.
    private func undo(_ change: ProcessStateChange) -> Bool {
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
        case .directory: return goBack()
        case .users(let users, _):
            return csys_set_users([users.real, users.effective, users.saved])
        case .groups(let groups, _):
            return csys_set_groups([groups.real, groups.effective, groups.saved])
        case .root:
            guard let root, Self.numbers(root) == rootNumbers,
                csys_set_root_directory(root.number)
            else { return false }
            return goBack()
        case .descriptors: return false
        }
        return true
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
        let ids = state.ids
        self.init(
            users: Identity(real: ids.users.0, effective: ids.users.1, saved: ids.users.2),
            groups: Identity(real: ids.groups.0, effective: ids.groups.1, saved: ids.groups.2),
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
