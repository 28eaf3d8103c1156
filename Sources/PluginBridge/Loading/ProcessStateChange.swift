// SPDX-License-Identifier: Apache-2.0

/// A difference of the state.
enum ProcessStateChange: Hashable, Sendable {
    case signal(Int32, before: SignalAction, after: SignalAction)
    case signalMask(before: UInt64, after: UInt64)
    case signalStack(before: ProcessState.SignalStack, after: ProcessState.SignalStack)
    case floatControl(before: UInt64, after: UInt64)
    case umask(before: Int32, after: Int32)
    case directory(before: ProcessState.Directory, after: ProcessState.Directory)
    case users(before: ProcessState.Identity, after: ProcessState.Identity)
    case groups(before: ProcessState.Identity, after: ProcessState.Identity)
    case root
    case descriptors

    /// Leaves out what the Swift runtime did when a plugin brought it into the process.
    ///
    /// libswiftCore.so installs a function that prints a backtrace for every crash signal with the
    /// default action, and gives the thread a stack for it. The plugin cannot prevent that, and the
    /// embedder did not ask for it, so it is undone silently. A runtime that is linked into a
    /// plugin does nothing of the kind.
    ///
    /// - Parameter file: the file of the code at an address.
    static func blamed(
        _ changes: [ProcessStateChange], file: (UInt64) -> String?
    ) -> [ProcessStateChange] {
        func isRuntimes(_ change: ProcessStateChange) -> Bool {
            guard case .signal(_, let before, let after) = change, before.handler == 0,
                let function = after.function, let path = file(function)
            else { return false }
            return PathText.components(path).last == "libswiftCore.so"
        }
        let others = changes.filter { !isRuntimes($0) }
        guard others.count < changes.count else { return changes }
        return others.filter { change in
            if case .signalStack(let before, _) = change { return before.address != 0 }
            return true
        }
    }

    /// The change, worded to follow "changed".
    func text(file: (UInt64) -> String?) -> String {
        func words(_ action: SignalAction) -> String {
            guard let function = action.function else {
                return action.handler == 0 ? "default" : "ignored"
            }
            return file(function).map { "a function of \($0)" } ?? "a function"
        }
        switch self {
        case .signal(let number, let before, let after):
            let (old, new) = (words(before), words(after))
            let how = old == new ? "its flags or its mask" : "\(old) → \(new)"
            return "what the signal \(SignalName.of(number)) does (\(how))"
        case .signalMask(let before, let after):
            return
                "the signal mask of the thread (\(SignalName.list(before)) → \(SignalName.list(after)))"
        case .signalStack(let before, let after):
            func words(_ stack: ProcessState.SignalStack) -> String {
                stack.address == 0 ? "none" : "\(stack.bytes) bytes"
            }
            return "the alternate signal stack of the thread (\(words(before)) → \(words(after)))"
        case .floatControl(let before, let after):
            return
                "the floating-point control of the thread (0x\(String(before, radix: 16)) → 0x\(String(after, radix: 16)))"
        case .umask(let before, let after):
            return
                "the umask (0\(String(before, radix: 8)) → 0\(String(after, radix: 8)))"
        case .directory(let before, let after):
            return "the working directory (\(before.path) → \(after.path))"
        case .users(let before, let after):
            return "the user ids of the process (\(Self.text(before, after)))"
        case .groups(let before, let after):
            return "the group ids of the process (\(Self.text(before, after)))"
        case .root: return "the root directory (by chroot)"
        case .descriptors:
            return "descriptors of the host's (it closed them, or put others in their places)"
        }
    }

    /// Returns the ids that differ: `effective 0 → 65534`.
    private static func text(
        _ before: ProcessState.Identity, _ after: ProcessState.Identity
    ) -> String {
        let ids = [
            ("real", before.real, after.real), ("effective", before.effective, after.effective),
            ("saved", before.saved, after.saved),
        ]
        return ids.filter { $0.1 != $0.2 }.map { "\($0.0) \($0.1) → \($0.2)" }
            .joined(separator: ", ")
    }
}

/// A change of the process that a plugin caused.
package struct ProcessStateFinding: Hashable, Sendable {
    /// To be put after "changed".
    package let text: String
    /// Whether the former state was restored.
    package let isPutBack: Bool
}
